// The folder keeps other users away from the socket. Here it is opened to them on purpose: then the socket itself asks who comes.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, linkSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dial } from '../src-main/link/testing/wire.ts'
import { openDesk } from './support/desk.ts'
import { startHost, type Person } from './support/host.ts'
import { asPlainUser, plainUser } from './support/plain-user.ts'

function openFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'open-to-all-'))
  chmodSync(folder, 0o777)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a script as another user, until the test is over. */
function asAnother(script: string, args: string[]) {
  const [command = '', ...rest] = [...asPlainUser(), process.execPath, '--input-type=module', '-e', script, ...args]
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, lines: createInterface({ input: child.stdout }) }
}

/** Comes without a registration, as any program may, asks at once, and prints everything that it hears. */
const CALLER = `
import net from 'node:net'
const say = (message) => end.write(JSON.stringify(message) + '\\n')
const end = net.connect(process.argv[1], () => say({ hello: { v: 1, client: null, nc: '11'.repeat(32), kind: 'bridge' } }))
end.once('data', () => {
  say({ proof: null, pid: process.pid, ppid: process.ppid })
  say({ id: 1, method: 'tools.call', params: { tool: 'list_secrets', arguments: {} } })
})
end.on('error', () => {}).on('data', (chunk) => {
  process.stdout.write(chunk)
  if (chunk.includes('"id":1')) end.end()
})
`

async function heardByAnother(door: string): Promise<string[]> {
  const { lines } = asAnother(CALLER, [door])
  const heard: string[] = []
  for await (const line of lines) heard.push(Object.keys(JSON.parse(line) as object).join())
  return heard
}

const processes = pathToFileURL(path.join(import.meta.dirname, '..', 'src-main', 'adapters', 'processes.ts')).href

/** Listens, inspects whoever comes first, and prints its verdict. */
const LISTENER = `
import net from 'node:net'
const [file, processes] = process.argv.slice(1)
const { inspectPeer } = await import(processes)
const server = net.createServer(async (socket) => {
  console.log(JSON.stringify((await inspectPeer(socket, { pid: process.pid, ppid: process.ppid })).user))
})
process.umask(0)
server.listen(file, () => console.log('listening'))
`

describe.runIf(plainUser !== null)('on a computer of several users', () => {
  test('another user who reaches the socket is cut off before anything is told, on record, while our own bridge is served', async () => {
    const desk = await openDesk()
    const bridge = await desk.client('cursor')
    const door = path.join(openFolder(), 'door')
    linkSync(desk.ready.socket, door)
    chmodSync(door, 0o666)

    for (let count = 0; count < 3; count++) {
      const heard = await heardByAnother(door)
      expect(heard.slice(0, 1)).toEqual(['ns,proof'])
      expect(heard.slice(1).filter((keys) => keys !== 'welcome')).toEqual([])
    }
    expect(await bridge.call('list_secrets')).toBe('[]')
    expect(await (await desk.client('codex')).call('list_secrets')).toBe('[]')
    const refused = async (person: Person) => {
      const rows = (await person.rows()).filter(({ event }) => event === 'connection.refused')
      const stories = await Promise.all(rows.map(({ seq }) => person.ask('audit.story', { seq })))
      return stories.flat().map(({ detail }) => detail)
    }
    const entry = { why: 'another user', uid: plainUser!.uid }
    await expect.poll(() => refused(desk.someone)).toEqual([{ ...entry, count: 1 }])

    desk.someone.leave()
    await desk.stop()
    const again = await startHost({ home: desk.home })
    expect(await refused(await again.person())).toEqual([
      { ...entry, count: 2 },
      { ...entry, count: 1 },
    ])
  })

  test('a host without rights cannot see who another user is, and knows by that alone', async () => {
    const file = path.join(openFolder(), 'door')
    const { lines } = asAnother(LISTENER, [file, processes])
    await once(lines, 'line')
    const verdict = once(lines, 'line')
    const end = await dial(file)
    expect(await verdict).toEqual(['{"uid":null}'])
    end.end()
  })

  test('a host without rights knows its own', async () => {
    const file = path.join(openFolder(), 'door')
    const { lines } = asAnother(LISTENER, [file, processes])
    await once(lines, 'line')
    const verdict = once(lines, 'line')
    asAnother(CALLER, [file])
    expect(await verdict).toEqual(['"own"'])
  })
})
