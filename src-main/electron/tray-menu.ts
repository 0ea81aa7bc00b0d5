// The tray's shape, words and menu for a state of the desk. No Electron here: it is plain data, and the tray makes a menu of it.

import type { ApprovalView } from '../../src-shared/approval.ts'
import type { AuditRow, Outcome } from '../../src-shared/audit.ts'
import { PERSON } from '../../src-shared/client.ts'
import type { Grant } from '../../src-shared/grant.ts'
import { showPath, showUntrusted } from '../../src-shared/untrusted.ts'
import type { DeskState } from './desk-state.ts'
import type { Shape } from './icon.ts'
import type { Screen } from './main-window.ts'

/** What a person can do from the tray. */
export type TrayAct =
  | { act: 'answer' }
  | { act: 'revoke'; grant: string }
  | { act: 'pause'; minutes: number | null }
  | { act: 'resume' }
  | { act: 'open'; screen: Screen }
  | { act: 'quit' }

export type TrayItem =
  | { is: 'line' }
  | { is: 'text'; label: string }
  | { is: 'act'; label: string; does: TrayAct }
  | { is: 'menu'; label: string; items: TrayItem[] }

export function trayShape({ status, waiting }: DeskState): Shape {
  if (status.trouble !== null || status.alarms.length > 0) return 'bang'
  if (status.paused !== null) return 'slash'
  if (waiting === null) return 'bang'
  return waiting.length > 0 ? 'dot' : 'idle'
}

export function trayTooltip(state: DeskState): string {
  const { status, waiting } = state
  if (status.trouble !== null) return `Countersign: ${status.trouble}`
  const [alarm] = status.alarms
  if (alarm !== undefined) return `Countersign: ${alarm.text}`
  if (status.paused !== null) return `Countersign: ${pausedWords(status.paused.until)}`
  if (waiting === null) return `Countersign: ${UNREADABLE}`
  return waiting.length === 0 ? 'Countersign' : `Countersign: ${waitingWords(waiting.length)}`
}

export function trayMenu(state: DeskState, mono: number): TrayItem[] {
  const { status, waiting, grants, calls } = state
  const name = (id: string | null) => (id === PERSON ? 'you' : showUntrusted(state.names.get(id ?? '') ?? id ?? 'somebody', 24))
  const top: TrayItem[] =
    status.state === 'open'
      ? [
          ...(status.trouble === null ? [] : [{ is: 'text', label: status.trouble } as const]),
          { is: 'text', label: waitingLabel(waiting) },
          ...(waiting ?? []).map((view): TrayItem => ({ is: 'act', label: requestWords(view), does: { act: 'answer' } })),
          { is: 'line' },
          {
            is: 'menu',
            label: grants.length === 0 ? 'No active grants' : `Active grants (${grants.length})`,
            items: grants.map((grant) => grantItem(grant, name, mono)),
          },
          { is: 'menu', label: calls.length === 0 ? 'No calls yet' : 'Last calls', items: calls.map((row) => callItem(row, name)) },
          { is: 'line' },
          pauseItem(status.paused),
        ]
      : [{ is: 'act', label: status.trouble ?? 'The vault is not open', does: { act: 'open', screen: 'audit' } }]
  return [
    ...top,
    { is: 'line' },
    ...SCREENS.map(([label, screen]): TrayItem => ({ is: 'act', label, does: { act: 'open', screen } })),
    { is: 'line' },
    { is: 'act', label: 'Quit Countersign', does: { act: 'quit' } },
  ]
}

const SCREENS: [label: string, screen: Screen][] = [
  ['Audit…', 'audit'],
  ['Secrets…', 'secrets'],
  ['Policies…', 'policies'],
  ['Clients…', 'clients'],
  ['Settings…', 'settings'],
]

const TOOLS: Record<string, [does: string, did: string]> = {
  get_secret: ['read', 'read'],
  store_secret: ['store', 'stored'],
  remove_secret: ['remove', 'removed'],
  list_secrets: ['list secrets', 'listed secrets'],
  test_policy: ['test a policy', 'tested a policy'],
  export_backup: ['export every secret to', 'exported every secret'],
  import_backup: ['import the backup', 'imported a backup'],
}

export function requestWords({ clientName, tool, secret, file }: Pick<ApprovalView, 'clientName' | 'tool' | 'secret' | 'file'>): string {
  const verb = TOOLS[tool]?.[0] ?? `call ${showUntrusted(tool, 24)}`
  const what = [secret === null ? '' : ` ${showUntrusted(secret, 40)}`, file === null ? '' : ` ${showPath(file)}`]
  return `${showUntrusted(clientName, 24)} wants to ${verb}${what.join('')}`
}

const UNREADABLE = 'The open requests cannot be read just now'

function waitingLabel(waiting: DeskState['waiting']): string {
  if (waiting === null) return UNREADABLE
  return waiting.length === 0 ? 'Nobody is waiting' : `${capital(waitingWords(waiting.length))}:`
}

function waitingWords(count: number): string {
  return count === 1 ? 'one request waits' : `${count} requests wait`
}

function grantItem(grant: Grant, name: (id: string) => string, mono: number): TrayItem {
  const covers = grant.covers === 'reads' ? 'reads' : `may repeat ${TOOLS[grant.tool]?.[0] ?? grant.tool}`
  return {
    is: 'menu',
    label: `${name(grant.clientId)} ${covers} ${showUntrusted(grant.name, 40)} · ${endWords(grant.end, mono)}`,
    items: [{ is: 'act', label: 'Revoke', does: { act: 'revoke', grant: grant.id } }],
  }
}

function endWords(end: Grant['end'], mono: number): string {
  switch (end.kind) {
    case 'always':
      return 'always'
    case 'lock':
      return 'until you lock'
    case 'time': {
      const minutes = Math.ceil((end.mono - mono) / 60_000)
      return minutes <= 1 ? 'less than a minute left' : `${minutes} min left`
    }
  }
}

const GLYPHS: Record<Outcome, string> = {
  allowed: '✓',
  denied: '✕',
  waiting: '…',
  expired: '⌛',
  cancelled: '–',
  rejected: '✕',
  limited: '✕',
  timeout: '⌛',
  failed: '!',
  recovered: '↺',
}

function callItem(row: AuditRow, name: (id: string | null) => string): TrayItem {
  const outcome = row.outcome === null ? '' : `${GLYPHS[row.outcome]} ${row.outcome}: `
  const tool = TOOLS[row.tool ?? '']?.[row.outcome === 'allowed' ? 1 : 0] ?? showUntrusted(row.tool ?? 'a call', 24)
  const secret = row.secret === null ? '' : ` ${showUntrusted(row.secret, 40)}`
  return { is: 'act', label: `${clock(row.wall)}  ${outcome}${name(row.client)} ${tool}${secret}`, does: { act: 'open', screen: 'audit' } }
}

function pauseItem(paused: DeskState['status']['paused']): TrayItem {
  if (paused !== null) return { is: 'act', label: `Resume (${pausedWords(paused.until)})`, does: { act: 'resume' } }
  const pause = (label: string, minutes: number | null): TrayItem => ({ is: 'act', label, does: { act: 'pause', minutes } })
  return {
    is: 'menu',
    label: 'Pause all access',
    items: [pause('For 15 minutes', 15), pause('For 1 hour', 60), pause('Until I resume', null)],
  }
}

function pausedWords(until: number | null): string {
  return until === null ? 'paused until you resume' : `paused until ${clock(until)}`
}

function clock(wall: number): string {
  return new Date(wall).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
