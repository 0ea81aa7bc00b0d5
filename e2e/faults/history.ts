// A folder with a past, sealed with a passphrase, so that everything it depends on lies in it: it can be copied, damaged and put
// back as often as one likes.

import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { AuditRow } from '../../src-shared/audit.ts'
import type { Policy } from '../../src-shared/policy.ts'
import { startBridge } from '../support/bridge.ts'
import { enter, freshHome, startHost, type AtEnd, type Person, type RunningHost } from '../support/host.ts'
import { sentinel } from '../support/sentinel.ts'

const PASSPHRASE = 'correct horse battery'

export interface History {
  home: string
  /** Puts the folder back as it was. */
  restore: () => void
  start: () => Promise<RunningHost>
  enter: (host: RunningHost) => Promise<Person>
  /** What was there. */
  secrets: Map<string, string>
  policies: Policy[]
  rows: AuditRow[]
}

/** `atEnd`: it may serve several tests; the hosts that are started in it end with the test that starts them. */
export async function makeHistory(atEnd?: AtEnd): Promise<History> {
  const home = freshHome(atEnd)
  const passphrase = path.join(freshHome(atEnd), 'passphrase')
  writeFileSync(passphrase, PASSPHRASE, { mode: 0o600 })
  const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent', COUNTERSIGN_PASSPHRASE_FILE: passphrase }
  const start = () => startHost({ home, env })
  const host = await startHost({ home, env, ...(atEnd === undefined ? {} : { atEnd }) })
  const person = await enter(host.ready.url, PASSPHRASE)
  // Short values, long ones, and former versions of both: every kind of row.
  const secrets = new Map(Array.from({ length: 24 }, (_, n) => [`dev/${n}`, n % 3 === 0 ? sentinel(`long ${n}`).repeat(100) : sentinel(n)]))
  for (const [name, value] of secrets) {
    if (name.endsWith('1')) await person.ask('secrets.store', { name, value: sentinel('former') })
    await person.ask('secrets.store', { name, value, force: true, tags: ['kept'] })
  }
  await person.ask('secrets.store', { name: 'hidden/x', value: sentinel('hidden') })
  secrets.set('hidden/x', sentinel('hidden'))
  await person.ask('policies.save', { name: 'dev', description: 'only dev', allow: ['dev/*'], deny: ['dev/5'], reads: 'always' })
  await person.ask('clients.register', { id: 'cursor', name: 'Cursor', policy: 'dev' })
  const bridge = startBridge({ home, client: 'cursor', ...(atEnd === undefined ? {} : { atEnd }) })
  await bridge.initialize()
  for (const name of secrets.keys()) await bridge.call('get_secret', { name })
  const { policies } = await person.ask('policies.list')
  const rows = await person.rows()
  await host.stop()
  bridge.process.kill('SIGKILL')
  const copy = path.join(freshHome(atEnd), 'copy')
  cpSync(home, copy, { recursive: true, filter: (file) => !file.endsWith('.sock') })
  return {
    home,
    restore() {
      rmSync(home, { recursive: true, force: true })
      cpSync(copy, home, { recursive: true })
    },
    start,
    enter: ({ ready }) => enter(ready.url, PASSPHRASE),
    secrets,
    policies,
    rows,
  }
}

export function flipBit(file: string, page: number, bit: number): void {
  const bytes = readFileSync(file)
  const at = (page * PAGE_BYTES + (bit >> 3)) % bytes.length
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7))
  writeFileSync(file, bytes)
}

const PAGE_BYTES = 4096
