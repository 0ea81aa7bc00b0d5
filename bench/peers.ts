// What the bridge is measured against, over stdio: other people's servers as they are installed, minimal servers on either SDK,
// and between which ends all of them lie: Node that does nothing, a server that does next to nothing, and a relay in C.

import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { fetchJudge } from '../e2e/judges/fetch.ts'

export interface Program {
  id: string
  title: string
  command: string
  args: string[]
  env?: NodeJS.ProcessEnv
  /** A call that it answers by itself; null for a program that is no server. */
  call: { name: string; arguments: object } | null
  /** It also answers `server/discover`. */
  discovers: boolean
  /** What had to be installed for it. */
  folder: string | null
}

const peers = path.join(import.meta.dirname, 'peers')
const scratch = path.join(import.meta.dirname, '..', '.scratch', 'bench')
const LIST = { name: 'list_secrets', arguments: {} }

export const PINNED = {
  sdk1: ['@modelcontextprotocol/sdk', '1.32.2'],
  sdk2: ['@modelcontextprotocol/server', '2.4.0'],
  sdk2Http: ['@modelcontextprotocol/node', '2.1.2'],
  memory: ['@modelcontextprotocol/server-memory', '2026.8.31'],
  filesystem: ['@modelcontextprotocol/server-filesystem', '2026.8.31'],
  bitwarden: ['@bitwarden/mcp-server', '2026.7.0'],
} as const

/** The folder with the `node_modules` of a peer. */
export async function fetchPeer([name, version]: readonly [string, string]): Promise<string> {
  const fetched = await fetchJudge(name, version)
  if ('missing' in fetched) throw new Error(fetched.missing)
  return fetched.folder.slice(0, fetched.folder.indexOf(`${path.sep}node_modules`))
}

/** A program of ours beside the package it imports. */
export function placed(file: string, folder: string): string {
  copyFileSync(path.join(peers, file), path.join(folder, file))
  return path.join(folder, file)
}

export async function findPeers(atEnd: (work: () => void) => void): Promise<Program[]> {
  const node = process.execPath
  const sdk1 = await fetchPeer(PINNED.sdk1)
  const sdk2 = await fetchPeer(PINNED.sdk2)
  const memory = await fetchPeer(PINNED.memory)
  const filesystem = await fetchPeer(PINNED.filesystem)
  const bitwarden = await fetchPeer(PINNED.bitwarden)
  const inside = (folder: string, file: string) => path.join(folder, 'node_modules', file)
  const none = { call: LIST, discovers: false, folder: null }
  return [
    { ...none, id: 'node', title: 'node -e 0', command: node, args: ['-e', '0'], call: null },
    { ...none, id: 'relay', title: 'C relay to a socket (limit)', ...(await relay(atEnd)), discovers: true },
    { ...none, id: 'floor', title: 'hand-written server (floor)', command: node, args: [path.join(peers, 'floor.cjs')], discovers: true },
    { ...none, id: 'sdk1', title: 'SDK v1, minimal', command: node, args: [placed('sdk1.mjs', sdk1)], folder: sdk1 },
    { ...none, id: 'sdk2', title: 'SDK v2, minimal', command: node, args: [placed('sdk2.mjs', sdk2)], discovers: true, folder: sdk2 },
    {
      id: 'memory',
      title: 'server-memory',
      command: node,
      args: [inside(memory, '@modelcontextprotocol/server-memory/dist/index.js')],
      call: { name: 'read_graph', arguments: {} },
      discovers: false,
      folder: memory,
    },
    {
      id: 'filesystem',
      title: 'server-filesystem',
      command: node,
      args: [inside(filesystem, '@modelcontextprotocol/server-filesystem/dist/index.js'), peers],
      call: { name: 'list_allowed_directories', arguments: {} },
      discovers: false,
      folder: filesystem,
    },
    {
      id: 'bitwarden',
      title: '@bitwarden/mcp-server',
      command: node,
      args: [inside(bitwarden, '@bitwarden/mcp-server/dist/index.js')],
      env: { BW_SESSION: 'none' },
      // Refused by its own check of arguments: what it does otherwise, it leaves to a program that takes a second to start.
      call: { name: 'list', arguments: { type: 'nothing' } },
      discovers: false,
      folder: bitwarden,
    },
  ]
}

/** The relay, and the hand-written server behind it. */
async function relay(atEnd: (work: () => void) => void): Promise<Pick<Program, 'command' | 'args'>> {
  mkdirSync(scratch, { recursive: true })
  const command = path.join(scratch, 'relay')
  execFileSync('cc', ['-O2', '-o', command, path.join(peers, 'relay.c')])
  const socket = `/tmp/countersign-bench-${process.pid}.sock`
  const app = spawn(process.execPath, [path.join(peers, 'floor.cjs'), socket], { stdio: 'ignore' })
  atEnd(() => void app.kill())
  while (!existsSync(socket)) await new Promise((resolve) => setTimeout(resolve, 20))
  return { command, args: [socket] }
}
