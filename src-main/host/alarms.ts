// What a person must see and say that they have seen.

import { behindText } from '../../src-shared/audit.ts'
import type { HostStatus } from '../../src-shared/rpc.ts'
import type { Audit } from './audit/audit.ts'
import { Refusal } from './errors.ts'
import type { Journal } from './journal.ts'
import { ALARM as LOG_ALARM, type LogCheck } from './log-check.ts'
import { LOGIN_ALARM, type LoginTries } from './login-tries.ts'
import { systemEntry } from './record.ts'
import type { Registrations } from './registrations.ts'
import type { Rows } from './rows.ts'
import type { Vault } from './vault/vault.ts'

const BREAK_TEXT = {
  missing: 'The audit log was deleted.',
  behind: 'The audit log is shorter than it was: its latest entries are gone.',
  foreign: 'The audit log is not the one we wrote.',
  corrupt: 'The audit log was damaged.',
  'no key': 'The key of the audit log was lost, so what was written before cannot be verified.',
} as const

/** The alarm about one secret. */
export const secretAlarm = (name: string): string => `secret:${name}`

export interface AlarmsParts {
  tries: LoginTries
  audit: Audit
  logCheck: Pick<LogCheck, 'alarms' | 'acknowledge'>
  rows: Rows
  vault: Vault
  journal: Journal
  registrations: Pick<Registrations, 'alarms' | 'acknowledge'>
}

export function createAlarms({ tries, audit, logCheck, rows, vault, journal, registrations }: AlarmsParts) {
  return {
    list(): HostStatus['alarms'] {
      const breaks = audit
        .breaks()
        .filter(({ acknowledged }) => !acknowledged)
        .map(({ seq, found, aside, last }) => ({
          id: `audit:${seq}`,
          text: `${BREAK_TEXT[found]}${last === null ? '' : ` ${behindText({ head: last, anchor: seq - 1 })}`} A new segment begins at entry ${seq}${aside === null ? '' : `; what was found is kept as ${aside}`}.`,
        }))
      const edited = rows.refused.map(({ kind, id }) => `${kind} '${id}'`)
      const settings = rows.refused.some(({ kind, id }) => kind === 'setting' && id === 'settings')
      const then = settings ? '; then they are back at their defaults' : ''
      const strict = settings || !rows.intact ? `, and the strictest settings count until you acknowledge this${then}` : ''
      const rowAlarm =
        edited.length > 0 || !rows.intact
          ? [
              {
                id: 'rows',
                text: `Another program changed our database (${edited.join(', ') || 'rows were removed or put back'}). What it changed is refused${strict}.`,
              },
            ]
          : []
      const secrets = vault
        .list()
        .filter(({ state }) => state !== 'ok')
        .map(({ name, state }) => ({
          id: secretAlarm(name),
          text: `'${name}' is ${state === 'missing' ? 'missing from the keychain' : 'changed by another program'}.`,
        }))
      return [...breaks, ...logCheck.alarms(), ...rowAlarm, ...secrets, ...registrations.alarms(), ...tries.alarms()]
    },

    async acknowledge(id: string): Promise<void> {
      if (id.startsWith('audit:')) return audit.acknowledge(Number(id.slice('audit:'.length)))
      if (id === LOG_ALARM) return logCheck.acknowledge()
      if (id === LOGIN_ALARM) return tries.acknowledge()
      if (registrations.acknowledge(id)) return
      if (id !== 'rows') throw new Refusal('This alarm ends when its cause does')
      await journal.append(
        systemEntry('rows.accepted', { approver: 'person', detail: { refused: rows.refused.map((row) => `${row.kind}/${row.id}`) } }),
      )
      rows.accept()
    },
  }
}
