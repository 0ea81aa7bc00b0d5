// The headless shell: the host in plain Node, with a web page instead of windows. Becomes dist/host.js.

// oxlint-disable-next-line import/no-unassigned-import -- It has to run before anything else, and that is all it does.
import '../adapters/no-inspector.ts'
import { Socket } from 'node:net'
import path from 'node:path'
import { endIfInspected } from '../adapters/inspector.ts'
import { writeStartCommand } from '../adapters/start-command.ts'
import { createClosing } from '../host/closing.ts'
import { diskTrouble } from '../host/disk-trouble.ts'
import { messageOf } from '../host/errors.ts'
import type { Host } from '../host/host.ts'
import { serveHttp } from '../shell/http.ts'
import { handOver, openHost, preparePlace } from '../shell/open-host.ts'
import { keepStartCommand } from '../shell/keep-start-command.ts'
import { reportBug } from '../shell/report-bug.ts'
import { VERSION } from '../version.ts'
import { serveWeb, type Web } from '../web/server.ts'
import { readArguments } from './arguments.ts'
import { faultPointFrom } from './fault-point.ts'

const here = import.meta.dirname

async function run(): Promise<void> {
  const { json, port, recover, http } = readArguments(process.argv.slice(2))
  await endIfInspected()
  const place = preparePlace(process.env)
  const { folder, socket } = place
  const host = await openHost(place, {
    programs: here,
    env: process.env,
    recover,
    show: () => {},
    faultPoint: faultPointFrom(process.env['COUNTERSIGN_FAULT_POINT']),
  })
  if (host === null) {
    const page = await handOver(socket)
    if (json) say({ event: 'already running', socket })
    else process.stdout.write(`Countersign is already running.${page === null ? '' : ` Open ${page}`}\n`)
    return
  }
  const web = await openPage(host, port)
  host.announcePage(web.url)
  keepStartCommand(() => writeStartCommand(folder, process.execPath, [path.join(here, 'headless.js')], process.env), reportBug)
  const endpoint = await serveHttp(host, http)
  leaveOnSignals(host, [endpoint, web])
  tellCode(host)
  const { store, state, trouble, alarms, http: mcp = null } = host.status()
  if (mcp !== null && 'trouble' in mcp) process.stderr.write(`countersign: ${mcp.trouble}\n`)
  if (json) say({ event: 'ready', socket, store, state, url: web.url, http: mcp, pid: process.pid, version: VERSION })
  else {
    process.stdout.write(`Countersign is running (${store === 'sealed' ? 'sealed vault' : 'OS keychain'}). Open ${web.url}\n`)
    if (mcp !== null && 'url' in mcp) process.stdout.write(`MCP over HTTP: ${mcp.url}\n`)
    const told = state === 'damaged' && alarms.length > 0 ? [...alarms.map(({ text }) => text), OLDER] : [trouble ?? '']
    for (const line of told.filter((text) => text !== '')) process.stdout.write(`${line}\n`)
  }
}

/** Nobody can log in to decide while nothing is served. */
const OLDER =
  'Stop it and bring the newer file back, or start it again with --accept-vault to go on with this one, or with --restore-daily-copy.'

/** To a terminal alone: what is written to a pipe or a file is read by whoever started us, which need not be the person. */
function tellCode(host: Host): void {
  const code = process.stderr.isTTY ? host.login.makeCode() : null
  if (code !== null) process.stderr.write(`If the page asks for a code to choose the first PIN: ${code}\n`)
}

function openPage(host: Host, port: number | undefined): Promise<Web> {
  return serveWeb({ door: host, login: host.login, rendererFolder: path.join(here, 'renderer'), port })
}

function leaveOnSignals(host: Host, servers: { close: () => Promise<void> }[]): void {
  let leaving = false
  const leave = (why: string) => {
    if (leaving) return
    leaving = true
    const closing = createClosing()
    closing.add(() => host.close(why))
    closing.add(() => Promise.all(servers.map((server) => server.close())))
    closing.close().then(
      () => process.exit(0),
      (error: unknown) => {
        reportBug(error)
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => leave(signal))
  const parent = process.env['COUNTERSIGN_PARENT_FD']
  if (parent === undefined) return
  // Whoever started us on our own Node is gone without a signal: as good as a kill.
  // As a socket: a file's read would sit in a thread that our own end would have to wait for.
  const pipe = new Socket({ fd: Number(parent), readable: true })
  for (const end of ['end', 'error', 'close']) pipe.on(end, () => process.exit(1))
  pipe.resume()
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

run().catch((error: unknown) => {
  const reason = diskTrouble(error)
  const message = reason === null ? messageOf(error) : `Countersign cannot start: ${reason}.`
  // Not before it is written; and whatever is open by then must not stay behind as a host that serves nobody.
  process.stderr.write(`countersign: ${message}\n`, () => process.exit(1))
})
