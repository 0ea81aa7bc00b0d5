import { expect, test } from 'vitest'
import type { ApprovalView } from '../../src-shared/approval.ts'
import type { AuditRow } from '../../src-shared/audit.ts'
import type { DeskState } from './desk-state.ts'
import { requestWords, trayMenu, trayShape, trayTooltip, type TrayItem } from './tray-menu.ts'

const status: DeskState['status'] = { version: '1', state: 'open', store: 'keychain', trouble: null, alarms: [], paused: null, waiting: 0 }
const quiet: DeskState = { status, waiting: [], grants: [], calls: [], names: new Map([['cursor', 'Cursor']]) }
const asks = (clientName: string) => ({ clientName, tool: 'store_secret', secret: 'github/token', file: null }) as ApprovalView // What a line is made of.

const labels = (items: TrayItem[]): string[] => items.flatMap((item) => (item.is === 'line' ? [] : [item.label]))

test('trouble is told before a pause, a pause before who waits', () => {
  const waiting = [asks('Cursor')]
  expect(trayShape(quiet)).toBe('idle')
  expect(trayShape({ ...quiet, waiting })).toBe('dot')
  expect(trayShape({ ...quiet, waiting, status: { ...status, paused: { until: null } } })).toBe('slash')
  expect(
    trayShape({ ...quiet, waiting, status: { ...status, state: 'locked', trouble: 'The keychain is locked', paused: { until: null } } }),
  ).toBe('bang')
  expect(trayShape({ ...quiet, waiting, status: { ...status, trouble: 'The keychain is locked' } })).toBe('bang')
  expect(trayShape({ ...quiet, status: { ...status, alarms: [{ id: 'a', text: 'The log was edited' }] } })).toBe('bang')
})

test('the tooltip says the same in words', () => {
  expect(trayTooltip(quiet)).toBe('Countersign')
  expect(trayTooltip({ ...quiet, waiting: [asks('Cursor'), asks('Claude')] })).toBe('Countersign: 2 requests wait')
  expect(trayTooltip({ ...quiet, status: { ...status, state: 'locked', trouble: 'The keychain is locked' } })).toBe(
    'Countersign: The keychain is locked',
  )
})

test('requests that cannot be read are not "nobody is waiting"', () => {
  const state: DeskState = { ...quiet, waiting: null }
  expect(trayShape(state)).toBe('bang')
  expect(trayTooltip(state)).toBe('Countersign: The open requests cannot be read just now')
  expect(labels(trayMenu(state, 0))[0]).toBe('The open requests cannot be read just now')
})

test('every screen and the end are always within reach', () => {
  for (const state of ['open', 'locked', 'new', 'damaged'] as const) {
    const menu = labels(trayMenu({ ...quiet, status: { ...status, state, trouble: state === 'open' ? null : 'Something is wrong' } }, 0))
    expect(menu.slice(-6)).toEqual(['Audit…', 'Secrets…', 'Policies…', 'Clients…', 'Settings…', 'Quit Countersign'])
    if (state !== 'open') expect(menu[0]).toBe('Something is wrong')
  }
})

test('a name that a client chose stays one short, visible line', () => {
  const [, line] = labels(trayMenu({ ...quiet, waiting: [asks(`\u202Eevil\n${'x'.repeat(100)}`)] }, 0))
  expect(line).toMatch(/^⟨U\+202E⟩evil.{0,12}… wants to store github\/token$/)
})

test('a grant says what it covers and for how long, and can be taken back', () => {
  const grant = { id: 'g', clientId: 'cursor', since: 0, covers: 'reads', name: 'github/token', program: '/opt/cursor' } as const
  const ends = [
    { kind: 'always' },
    { kind: 'lock' },
    { kind: 'time', mono: 600_000, wall: 0 },
    { kind: 'time', mono: 59_000, wall: 0 },
  ] as const
  const menu = trayMenu({ ...quiet, grants: ends.map((end) => ({ ...grant, end })) }, 0)
  const entry = menu.find((item) => item.is === 'menu' && item.label === 'Active grants (4)')
  expect(entry?.is === 'menu' && labels(entry.items)).toEqual([
    'Cursor reads github/token · always',
    'Cursor reads github/token · until you lock',
    'Cursor reads github/token · 10 min left',
    'Cursor reads github/token · less than a minute left',
  ])
  expect(JSON.stringify(entry)).toContain('{"act":"revoke","grant":"g"}')
})

test('the last calls say how they ended', () => {
  const row = { wall: 0, client: 'cursor', tool: 'get_secret', secret: 'a/b', outcome: 'denied' } as AuditRow // What a line is made of.
  const menu = trayMenu({ ...quiet, calls: [row, { ...row, client: '(you)', tool: 'store_secret', outcome: 'allowed' }] }, 0)
  const entry = menu.find((item) => item.is === 'menu' && item.label === 'Last calls')
  expect(entry?.is === 'menu' && labels(entry.items).map((label) => label.slice(7))).toEqual([
    '✕ denied: Cursor read a/b',
    '✓ allowed: you stored a/b',
  ])
})

test('a backup names its file, so that two requests are told apart', () => {
  const backup = (file: string) => ({ clientName: 'Command line', tool: 'export_backup', secret: null, file }) as ApprovalView // As above.
  expect(requestWords(backup('/home/you/one.backup'))).toBe('Command line wants to export every secret to /home/you/one.backup')
  expect(requestWords(backup(`/home/${'x'.repeat(500)}/one`))).not.toBe(requestWords(backup(`/home/${'x'.repeat(500)}/two`)))
  expect(requestWords(backup('/tmp/a\n\u202eb'))).toBe('Command line wants to export every secret to /tmp/a⟨U+000A⟩⟨U+202E⟩b')
})
