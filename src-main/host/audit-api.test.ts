import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { AuditPage } from '../../src-shared/audit.ts'
import { openTestHost } from './testing/test-host.ts'

afterEach(() => vi.unstubAllEnvs())

function home(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-home-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('an export without a path goes where downloads go, under a name of its own, and is on record', async () => {
  const { window } = await openTestHost()
  const folder = home()
  mkdirSync(path.join(folder, 'Downloads'))
  vi.stubEnv('HOME', folder)
  const { rows, path: file } = await window('audit.export', { format: 'jsonl' })
  expect(file).toBe(path.join(folder, 'Downloads', 'countersign-audit-2026-01-15-120000.jsonl'))
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines).toHaveLength(rows)
  expect(lines.at(-1)).toContain('"audit.exported"')
})

test('an export to a path of the person goes there, ~ included, and never over another file', async () => {
  const { window } = await openTestHost()
  const folder = home()
  vi.stubEnv('HOME', folder)
  const { path: file } = await window('audit.export', { format: 'csv', path: '~/log.csv' })
  expect(file).toBe(path.join(folder, 'log.csv'))
  await expect(window('audit.export', { format: 'csv', path: file })).rejects.toThrow(
    `The log was not exported to ${file}: the file already exists`,
  )
  await expect(window('audit.export', { format: 'csv', path: 'log.csv' })).rejects.toThrow("'log.csv' is not a full path")
  await expect(window('audit.export', { format: 'csv', path: path.join(folder, 'none', 'x') })).rejects.toThrow('its folder is missing')
})

test('what verify found, and when, is remembered while the host runs', async () => {
  const { window, clock } = await openTestHost()
  expect(await window('audit.verified')).toBeNull()
  // The host's own look, a second after its start.
  await clock.advance(1000)
  await vi.waitFor(async () => expect(await window('audit.verified')).not.toBeNull(), 20_000)
  const report = await window('audit.verify')
  const at = clock.now()
  await clock.advance(60_000)
  expect(await window('audit.verified')).toEqual({ at, report })
  expect(report.state).toBe('ok')
})

test('the command line reads all of the log under a policy that allows every name, and what its policy allows under any other', async () => {
  const { host, window } = await openTestHost()
  const context = { caller: null, signal: new AbortController().signal, waiting: () => {} }
  const asCli = async () => (await host.dispatch('cli', 'audit.query', { limit: 1000 }, context)) as AuditPage
  await window('secrets.store', { name: 'prod/payroll', value: 'v' })
  expect(await asCli()).toEqual(await window('audit.query', { limit: 1000 }))
  const policy = { name: 'cli', description: '', reads: 'always' } as const
  await window('clients.bind', { id: 'cli', policy: 'default' })
  for (const [allow, deny] of [
    [['*'], ['prod/*']],
    [['dev/*'], []],
    [[], []],
  ]) {
    await window('policies.save', { ...policy, allow: allow ?? [], deny: deny ?? [] })
    await window('clients.bind', { id: 'cli', policy: 'cli' })
    const page = await asCli()
    expect(JSON.stringify(page)).not.toContain('payroll')
    expect(page.others).toBe((await window('audit.totals', {})).rows - page.rows.length)
    expect(page.rows.map(({ event }) => event)).toContain('host.started')
  }
  await expect(host.dispatch('cli', 'audit.story', { seq: 1 }, context)).rejects.toThrow('is not for this connection')
})

test('the command line hears of alarms about those secrets alone that its policy lets it see', async () => {
  const first = await openTestHost()
  for (const name of ['dev/a', 'prod/payroll']) await first.window('secrets.store', { name, value: 'v' })
  await first.close()
  const db = new DatabaseSync(path.join(first.folder, 'vault.db'), { readOnly: true })
  const without = db
    .prepare('SELECT name, id FROM versions')
    .all()
    .map(({ name, id }) => `${String(name)}#${String(id)}`)
  db.close()

  const { host, window } = await first.restart({ without })
  const names = async () => (await window('status')).alarms.map(({ id }) => id)
  await vi.waitFor(async () => expect(await names()).toEqual(['secret:dev/a', 'secret:prod/payroll']), 20_000)
  await window('policies.save', { name: 'cli', description: '', allow: ['dev/*'], deny: [], reads: 'always' })
  await window('clients.bind', { id: 'cli', policy: 'cli' })
  const status = await host.dispatch('cli', 'status', {}, { caller: null, signal: new AbortController().signal, waiting: () => {} })
  expect(status).toMatchObject({ alarms: [{ id: 'secret:dev/a' }] })
  expect(JSON.stringify(status)).not.toContain('payroll')
})
