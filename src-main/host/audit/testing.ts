import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import type { Entry } from '../../../src-shared/audit.ts'
import { fakeClock, type FakeClock } from '../testing/fake-clock.ts'
import { openAudit, type Audit, type AuditOptions } from './audit.ts'

/** A folder, a clock and a keychain item, and the log that is opened and opened again on them. */
export interface Desk {
  folder: string
  file: string
  clock: FakeClock
  keychain: { anchor: string | null; writes: number; fail: Error | null }
  open: (changes?: Partial<AuditOptions>) => Promise<Audit>
  /** Changes the database as another program would. */
  tamper: (sql: string) => void
  files: () => string[]
}

export const workerPath = join(import.meta.dirname, 'worker.ts')

export function desk(folder = mkdtempSync(join(tmpdir(), 'countersign-audit-'))): Desk {
  const clock = fakeClock()
  const keychain: Desk['keychain'] = { anchor: null, writes: 0, fail: null }
  const opened: Audit[] = []
  const file = join(folder, 'audit.db')
  let boots = 0
  onTestFinished(async () => {
    await Promise.all(opened.map((audit) => audit.close()))
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    folder,
    file,
    clock,
    keychain,
    open: async (changes = {}) => {
      const audit = await openAudit({
        folder,
        chainKey: Buffer.alloc(32, 7),
        chainKeyIsNew: false,
        anchor: {
          read: async () => keychain.anchor,
          write: async (text) => {
            if (keychain.fail) throw keychain.fail
            keychain.anchor = text
            keychain.writes += 1
          },
        },
        clock,
        boot: `boot-${++boots}`,
        workerPath,
        ...changes,
      })
      opened.push(audit)
      return audit
    },
    tamper: (sql) => {
      const db = new DatabaseSync(file, { defensive: false })
      db.exec(sql)
      db.close()
    },
    files: () => readdirSync(folder).toSorted(),
  }
}

export function call(changes: Partial<Entry> = {}): Entry {
  return {
    kind: 'outcome',
    event: 'call',
    call: null,
    client: 'cursor',
    peer: 'systemd › cursor › node',
    standing: 'verified',
    tool: 'get_secret',
    secret: 'dev/token',
    outcome: 'allowed',
    rule: 'policy default: reads always',
    approver: 'policy',
    fingerprint: '0123456789abcdef',
    detail: {},
    ...changes,
  }
}

export async function appendMany(audit: Audit, count: number, each: (n: number) => Partial<Entry> = () => ({})): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => audit.append(call({ call: `call-${n}`, ...each(n) }))))
}
