import type { Target } from '../target.ts'
import { configFiles } from './config-files.ts'
import { dotenv } from './dotenv.ts'
import { framing } from './framing.ts'
import { globs } from './globs.ts'
import { httpMcp, httpPage } from './http.ts'
import { jsonrpc } from './jsonrpc.ts'
import { pageRpc } from './page-rpc.ts'
import { socket } from './socket.ts'
import { stdio } from './stdio.ts'

export const targets: readonly Target[] = [framing, jsonrpc, globs, dotenv, configFiles, stdio, httpMcp, httpPage, pageRpc, socket]
