// Streams in and out of the protocol core, and when to leave.

import type { Readable, Writable } from 'node:stream'
import { VERSION } from '../version.ts'
import type { Env } from '../adapters/paths.ts'
import { createFrameReader } from '../mcp/framing.ts'
import { createMcpServer, MAX_MESSAGE_BYTES, type McpServerOptions } from '../mcp/server.ts'
import { createBackend } from './backend.ts'
import { createHostLine } from './host-line.ts'
import { watchParent } from './parent.ts'

export interface BridgeOptions {
  client: string | null
  env: Env
  programFolder: () => string
  stdin: Readable
  stdout: Writable
  log: (line: string) => void
  exit: (code: number) => void
  answer?: McpServerOptions['answer']
}

/** Above this much unread output, or output the host has not taken, we stop reading: the slow one waits, not our memory. */
const QUEUE_BYTES = 1 << 20
/** The same for refusals that are not on record yet: a client that floods us waits, and the host has the time of others for others. */
const MOST_UNRECORDED = 256
/** A client that says nothing gets its host all the same. */
const SILENT_MS = 100
/** After the end of input: for answers that are on their way, and for handing over those that are there. */
const LAST_ANSWERS_MS = 600
const LAST_BYTES_MS = 200

export function runBridge({ client, env, programFolder, stdin, stdout, log, exit, answer }: BridgeOptions): void {
  let batch = ''
  const line = createHostLine({ client, env, programFolder, log, onNames: () => server.namesChanged(), onRelief: flow })
  const backend = createBackend(line, client, { onRecorded: flow })
  const server = createMcpServer({
    backend: () => backend,
    serverInfo: { name: 'countersign', title: 'Countersign', version: VERSION },
    ...(answer === undefined ? {} : { answer }),
    send(message) {
      // Messages of one turn go out in one write.
      if (batch === '') queueMicrotask(flush)
      batch += `${JSON.stringify(message).replaceAll(LINE_ENDS, escaped)}\n`
    },
    onBug: (error) => log(`the bridge made a mistake (${error instanceof Error ? error.name : typeof error})`),
  })
  const frames = createFrameReader({ maxBytes: MAX_MESSAGE_BYTES, onLine: server.receive, onFault: server.fault })

  function flush(): void {
    const text = batch
    batch = ''
    if (text !== '') stdout.write(text)
  }

  function flow(): void {
    const full = stdout.writableLength > QUEUE_BYTES || line.queued() > QUEUE_BYTES || backend.unrecorded() > MOST_UNRECORDED
    if (full) stdin.pause()
    else if (stdin.isPaused()) stdin.resume()
  }

  async function leave(): Promise<void> {
    frames.end()
    await Promise.race([server.whenIdle(), elapsed(LAST_ANSWERS_MS)])
    await server.close()
    flush()
    await Promise.race([new Promise((resolve) => stdout.write('', resolve)), elapsed(LAST_BYTES_MS)])
    exit(0)
  }

  // Nobody is left to answer. There is no handler for signals: their default ends us at once, whatever we are doing.
  stdout.on('error', () => exit(0))
  stdout.on('drain', flow)
  const begin = setTimeout(line.begin, SILENT_MS)
  stdin.once('data', () => {
    clearTimeout(begin)
    setImmediate(line.begin)
  })
  stdin.on('data', (chunk: Buffer) => {
    frames.push(chunk)
    flow()
  })
  let leaving = false
  const end = (): void => {
    if (leaving) return
    leaving = true
    void leave()
  }
  stdin.on('end', end)
  stdin.on('close', end)
  stdin.on('error', end)
  watchParent(end)
}

/** JSON lets these stand in a text, and readers of lines such as Node's and Python's take them for the end of one. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g
const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`

const elapsed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
