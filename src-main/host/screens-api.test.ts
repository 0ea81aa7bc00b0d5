import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { PRACTICE } from '../../src-shared/client.ts'
import { DEFAULT_POLICY } from '../../src-shared/policy.ts'
import { openTestHost, registered, stranger, type TestHost } from './testing/test-host.ts'

const DAY = 24 * 3_600_000

async function always(host: TestHost, name = 'default') {
  await host.window('policies.save', { ...DEFAULT_POLICY, name, reads: 'always' })
}

describe('the uses of secrets', () => {
  test('are counted by day and client: reads that were let through, and nothing else', async () => {
    const host = await openTestHost()
    await always(host)
    await host.window('policies.save', { ...DEFAULT_POLICY, name: 'nothing', allow: [] })
    const cursor = await registered(host, 'cursor')
    const blind = await registered(host, 'blind', 'nothing')
    await host.window('secrets.store', { name: 'a', value: 'v' })
    await host.call(cursor, 'get_secret', { name: 'a' })
    host.clock.setWall(host.clock.now() + 2 * DAY)
    await host.call(cursor, 'get_secret', { name: 'a' })
    await host.call(stranger(), 'get_secret', { name: 'a' })
    await host.call(blind, 'get_secret', { name: 'a' })
    await host.call(cursor, 'get_secret', { name: 'gone' })
    await host.call(cursor, 'list_secrets')
    await host.window('secrets.reveal', { name: 'a', purpose: 'show' })
    const { days, secrets } = await host.window('secrets.uses')
    expect(days).toHaveLength(7)
    expect(days.at(-1)).toBeLessThanOrEqual(host.clock.now())
    expect(secrets).toEqual([
      {
        name: 'a',
        counts: [0, 0, 0, 0, 1, 0, 2],
        clients: [
          { client: 'cursor', calls: 2 },
          { client: '(unregistered)', calls: 1 },
        ],
      },
    ])
    host.clock.setWall(host.clock.now() + 7 * DAY)
    expect((await host.window('secrets.uses')).secrets).toEqual([])
  })
})

describe('an import is compared', () => {
  test('entry by entry, and no value comes back', async () => {
    const host = await openTestHost()
    await host.window('secrets.store', { name: 'same', value: 'kept-value' })
    await host.window('secrets.store', { name: 'other', value: 'old-value' })
    const long = 'x'.repeat(60_000)
    await host.window('secrets.store', { name: 'long', value: long })
    const answer = await host.window('secrets.compare', {
      entries: [
        { name: 'fresh', value: 'new-value' },
        { name: 'same', value: 'kept-value' },
        { name: 'other', value: 'new-value' },
        { name: 'long', value: long },
      ],
    })
    expect(answer).toEqual({ states: ['new', 'same', 'changed', 'same'] })
  })

  test('only with the current version: a former value counts as a change', async () => {
    const host = await openTestHost()
    await host.window('secrets.store', { name: 'a', value: 'one' })
    await host.window('secrets.store', { name: 'a', value: 'two', force: true })
    expect(await host.window('secrets.compare', { entries: [{ name: 'a', value: 'one' }] })).toEqual({ states: ['changed'] })
  })

  test('of at most 500 entries, and only of names and values that could be stored', async () => {
    const host = await openTestHost()
    const entry = { name: 'a', value: 'v' }
    await expect(host.window('secrets.compare', { entries: Array.from({ length: 501 }, () => entry) })).rejects.toThrow()
    await expect(host.window('secrets.compare', { entries: [{ name: '../a', value: 'sk-secret' }] })).rejects.toThrow(/^(?!.*sk-secret)/)
  })
})

describe('a dry run', () => {
  test('tells what an edit would have changed in the last seven days, and saves nothing', async () => {
    const host = await openTestHost()
    await always(host)
    const claude = await registered(host, 'claude')
    await host.window('secrets.store', { name: 'prod/db', value: 'v' })
    await host.window('secrets.store', { name: 'dev/db', value: 'v' })
    await host.call(claude, 'get_secret', { name: 'prod/db' })
    host.clock.setWall(host.clock.now() + 8 * DAY)
    for (const name of ['prod/db', 'prod/db', 'dev/db']) await host.call(claude, 'get_secret', { name })
    await host.call(stranger(), 'get_secret', { name: 'prod/db' })
    const dryRun = await host.window('policies.dryRun', { ...DEFAULT_POLICY, reads: 'always', deny: ['prod/*'] })
    expect(dryRun).toMatchObject({
      calls: 4,
      changes: [
        { client: 'claude', was: 'allow', now: 'deny', calls: 2, secrets: ['prod/db'], more: 0 },
        { client: '(unregistered)', was: 'allow', now: 'deny', calls: 1 },
      ],
    })
    expect((await host.window('policies.list')).policies).toMatchObject([{ name: 'default', deny: [] }])
  })

  test('looks at the clients bound to that policy alone', async () => {
    const host = await openTestHost()
    await always(host)
    await always(host, 'wide')
    const claude = await registered(host, 'claude', 'wide')
    await host.window('secrets.store', { name: 'a', value: 'v' })
    await host.call(claude, 'get_secret', { name: 'a' })
    expect(await host.window('policies.dryRun', { ...DEFAULT_POLICY, allow: [] })).toMatchObject({ calls: 0, changes: [] })
    expect(await host.window('policies.dryRun', { ...DEFAULT_POLICY, name: 'new', allow: [] })).toMatchObject({ calls: 0, changes: [] })
    expect(await host.window('policies.dryRun', { ...DEFAULT_POLICY, name: 'wide', allow: [] })).toMatchObject({ calls: 1 })
  })

  test('counts writes that would have been refused instead of asked about', async () => {
    const host = await openTestHost()
    const claude = await registered(host, 'claude')
    const [approvals] = await Promise.all([
      host.open(1).then(([view]) => host.answer(view!, 'deny')),
      host.call(claude, 'store_secret', { name: 'a', value: 'v' }),
    ])
    expect(approvals).toBe(true)
    const { changes } = await host.window('policies.dryRun', { ...DEFAULT_POLICY, deny: ['a'] })
    expect(changes).toMatchObject([{ was: 'ask', now: 'deny', calls: 1 }])
  })
})

describe('the practice prompt', () => {
  test.each(['allow', 'deny'] as const)('asks, takes "%s" for an answer, records it, and stores nothing', async (answer) => {
    const host = await openTestHost()
    const told = host.window('practice.start')
    const [view] = await host.open(1)
    expect(view).toMatchObject({ clientName: 'Practice', tool: 'practice', secret: null, hasValue: false, mayRemember: false })
    await host.answer(view!, answer)
    expect(await told).toEqual(
      answer === 'allow' ? { text: 'You allowed it', refused: false } : { text: 'Denied by the person', refused: true },
    )
    expect(await host.window('secrets.list')).toEqual([])
    const rows = (await host.rows()).filter(({ client }) => client === PRACTICE)
    expect(rows.map(({ event, outcome }) => [event, outcome])).toEqual([
      ['call', answer === 'allow' ? 'allowed' : 'denied'],
      ['approval.ended', null],
      ['approval.opened', null],
    ])
  })

  test('is not a tool that a client can call', async () => {
    const host = await openTestHost()
    expect(await host.call(stranger(), 'practice')).toBe('Error: Unknown tool: practice')
    expect(await host.call(await registered(host, 'cursor'), 'practice', {})).toBe('Error: Unknown tool: practice')
  })
})

describe('the PIN', () => {
  test('is changed by whoever knows it, and wrong tries slow down', async () => {
    const host = await openTestHost()
    const { login } = host.host
    await expect(host.window('pin.change', { current: '1234', next: '5678' })).rejects.toThrow('There is no PIN to change.')
    expect(await login.enter('1234')).toEqual({ ok: true })
    await expect(host.window('pin.change', { current: '1234', next: '1' })).rejects.toThrow('A PIN has 4 to 64 characters.')
    for (let tries = 0; tries < 3; tries++) {
      await expect(host.window('pin.change', { current: 'wrong', next: '5678' })).rejects.toThrow('That is not the PIN.')
    }
    await expect(host.window('pin.change', { current: '1234', next: '5678' })).rejects.toThrow('Too many tries')
    await host.clock.advance(1000)
    expect(await host.window('pin.change', { current: '1234', next: '5678' })).toBeNull()
    expect(await login.enter('1234')).toMatchObject({ ok: false })
    expect(await login.enter('5678')).toEqual({ ok: true })
    expect((await host.rows()).filter(({ event }) => event === 'pin.set')).toHaveLength(2)
  })
})

describe('diagnostics', () => {
  test('tell versions, states and counts, and neither names nor values', async () => {
    const host = await openTestHost()
    await registered(host, 'hush-client')
    await host.window('policies.save', { ...DEFAULT_POLICY, name: 'hush-policy', allow: ['hush/*'] })
    await host.window('secrets.store', { name: 'hush/name', value: 'hush-value', tags: ['hush-tag'] })
    const { text } = await host.window('host.diagnostics')
    expect(text).toContain('Secrets: 1 (0 missing, 0 changed outside)')
    expect(text).toContain('Policies: 2 (0 refused)')
    expect(text).toContain('Clients: 2 (0 connections, 0 paused)')
    expect(text).not.toContain('hush')
  })
})

describe('a client', () => {
  test('is known to have been there after a restart', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    await host.call(cursor, 'list_secrets')
    const seen = host.clock.now()
    host.clock.setWall(host.clock.now() + DAY)
    const again = await host.restart()
    const lastSeen = async () => (await again.window('clients.list')).find(({ id }) => id === 'cursor')?.lastSeen
    await expect.poll(lastSeen).toBe(seen)
  })
})

describe('a backup that cannot be read', () => {
  test('is told by a sentence', async () => {
    const host = await openTestHost()
    const file = path.join(host.folder, 'no.backup')
    writeFileSync(file, 'nothing of ours')
    await expect(host.window('backup.preview', { path: file, passphrase: 'long enough', withKeys: false })).rejects.toThrow(/backup/i)
    await expect(host.window('backup.export', { path: 'relative', passphrase: 'long enough' })).rejects.toThrow('full path')
  })
})
