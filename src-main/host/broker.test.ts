import { describe, expect, it } from 'vitest'
import type { LedgerEntry } from '../../src-shared/audit.ts'
import type { Policy } from '../../src-shared/policy.ts'
import { openTestHost, registered, stranger, type TestHost } from './testing/test-host.ts'

const EVERYTHING: Omit<Policy, 'name'> = { description: '', allow: ['*'], deny: [], reads: 'always' }

/** Every entry about calls of `client`, by call, oldest first. */
async function stories(host: TestHost, client: string): Promise<LedgerEntry[][]> {
  const { rows } = await host.window('audit.query', { filter: { client: [client], event: ['call'] }, limit: 1000 })
  return Promise.all(rows.toReversed().map(({ seq }) => host.window('audit.story', { seq })))
}

describe('the record of calls', () => {
  it('has exactly one outcome for a call of every kind, and for writes one intent before it', async () => {
    const host = await openTestHost()
    await host.window('policies.save', { ...EVERYTHING, name: 'most', deny: ['prod/*'] })
    const cursor = await registered(host, 'cursor', 'most')
    const allow = async () => {
      const [approval] = await host.open(1)
      await host.answer(approval!, 'allow')
    }
    const writes = [
      ['store_secret', { name: 'a', value: 'v' }],
      ['store_secret', { name: 'a', value: 'w', force: true }],
      ['remove_secret', { name: 'a' }],
    ] as const
    for (const [tool, args] of writes) await Promise.all([host.call(cursor, tool, args), allow()])
    const others = [
      ['get_secret', { name: 'gone' }],
      ['get_secret', { name: 'prod/x' }],
      ['list_secrets', undefined],
      ['list_secrets', { scope: 'nowhere' }],
      ['remove_secret', { name: 'gone' }],
      ['test_policy', { scope: 'most', secret_name: 'a' }],
      ['store_secret', { name: '../x', value: 'v' }],
      ['store_secret', 'not an object'],
      ['unheard_of', { a: 1 }],
    ] as const
    for (const [tool, args] of others) await host.call(cursor, tool, args)

    const calls = await stories(host, 'cursor')
    expect(calls).toHaveLength(writes.length + others.length)
    for (const [index, story] of calls.entries()) {
      const kinds = story.filter(({ event }) => event === 'call').map(({ kind }) => kind)
      expect(kinds).toEqual(index < writes.length ? ['intent', 'outcome'] : ['outcome'])
    }
    expect(await host.window('audit.verify')).toMatchObject({ state: 'ok' })
  })

  it('names the fields of a call that broke its schema, and nothing else of it', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    await host.call(cursor, 'store_secret', { name: 'sk-live-misplaced secret', value: 'x' })
    await host.call(cursor, 'store_secret', { name: 'a', value: 'sk-live-misplaced', force: 'sk-live-misplaced' })
    const calls = (await stories(host, 'cursor')).flat()
    expect(calls.map(({ detail }) => detail['fields'])).toEqual([
      ['name', 'value'],
      ['name', 'value', 'force'],
    ])
    expect(JSON.stringify(calls)).not.toContain('misplaced')
  })

  it('counts what is over the limit once a second, and answers it at once', async () => {
    const host = await openTestHost()
    await host.window('settings.set', { callsPerSecond: 5, callBurst: 5 })
    const cursor = await registered(host, 'cursor')
    const answers = await Promise.all(Array.from({ length: 40 }, () => host.call(cursor, 'list_secrets')))
    expect(answers.filter((text) => text === 'Error: Too many calls; at most 5 a second')).toHaveLength(35)
    await host.clock.advance(1000)
    expect(await host.call(cursor, 'list_secrets')).toBe('[]')
    const limited = (await stories(host, 'cursor')).flat().filter(({ outcome }) => outcome === 'limited')
    expect(limited.map(({ detail }) => detail['count'])).toEqual([35])
  })

  it('keeps one client from crowding out another', async () => {
    const host = await openTestHost()
    await host.window('settings.set', { callsPerSecond: 1, callBurst: 1 })
    const [cursor, claude] = [await registered(host, 'cursor'), await registered(host, 'claude')]
    await Promise.all(Array.from({ length: 10 }, () => host.call(cursor, 'list_secrets')))
    expect(await host.call(claude, 'list_secrets')).toBe('[]')
  })
})

describe('a policy', () => {
  it('answers for a name outside it alike, whether it exists or not, for every tool', async () => {
    const host = await openTestHost()
    await host.window('policies.save', { ...EVERYTHING, name: 'dev', allow: ['dev/*'] })
    await host.window('secrets.store', { name: 'prod/there', value: 'v' })
    const cursor = await registered(host, 'cursor', 'dev')
    for (const name of ['prod/there', 'prod/absent']) {
      const text = `Error: Access denied: '${name}' is outside this client's policy 'dev'`
      expect(await host.call(cursor, 'get_secret', { name })).toBe(text)
      expect(await host.call(cursor, 'store_secret', { name, value: 'v', force: true })).toBe(text)
      expect(await host.call(cursor, 'remove_secret', { name })).toBe(text)
    }
  })

  it("comes from the client's registration, never from an argument", async () => {
    const host = await openTestHost()
    await host.window('policies.save', { ...EVERYTHING, name: 'admin' })
    await host.window('policies.save', { ...EVERYTHING, name: 'dev', allow: ['dev/*'] })
    for (const name of ['dev/a', 'prod/a']) await host.window('secrets.store', { name, value: 'v' })
    const cursor = await registered(host, 'cursor', 'dev')
    expect(await host.call(cursor, 'list_secrets', { scope: 'admin' })).toBe('["dev/a"]')
    expect(await host.call(cursor, 'get_secret', { name: 'prod/a', scope: 'admin' })).toMatch(/^Error: Access denied/)
    await host.window('policies.save', { ...EVERYTHING, name: 'none', allow: [] })
    expect(await host.call(cursor, 'list_secrets', { scope: 'none' })).toBe('[]')
  })

  it("is told of in a test only as far as it is the client's own: of another one it hears allowed or denied, and no rule", async () => {
    const host = await openTestHost()
    await host.window('policies.save', { ...EVERYTHING, name: 'dev', allow: ['dev/*'] })
    await host.window('policies.save', { ...EVERYTHING, name: 'admin', deny: ['payroll-*'] })
    const cursor = await registered(host, 'cursor', 'dev')
    const test = (scope: string, secret_name: string) => host.reply(cursor, 'test_policy', { scope, secret_name })
    expect(await test('dev', 'dev/a')).toMatchObject({ structured: { allowed: true, rule: 'policy dev: reads always' } })
    expect(await test('admin', 'payroll-x')).toEqual({ kind: 'result', text: 'denied', isError: false, structured: { allowed: false } })
    expect(await test('admin', 'dev/a')).toEqual({ kind: 'result', text: 'allowed', isError: false, structured: { allowed: true } })
    expect(await test('nowhere', 'dev/a')).toMatchObject({ text: 'Policy not found: nowhere', isError: true })
  })

  it('with a faulty pattern is not saved, and the fault has its position', async () => {
    const host = await openTestHost()
    await expect(host.window('policies.save', { ...EVERYTHING, name: 'dev', allow: ['ok', 'a[b'] })).rejects.toThrow(
      "allow pattern 2 ('a[b') is wrong at position 2: this [ is never closed",
    )
    expect((await host.window('policies.list')).policies.map(({ name }) => name)).toEqual(['default'])
  })

  it('that binds somebody cannot be removed', async () => {
    const host = await openTestHost()
    await expect(host.window('policies.remove', { name: 'default' })).rejects.toThrow("'default' still binds cli")
  })
})

describe('a client', () => {
  it('cannot store under a name that ends in /, which is read and removed where it is from before', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const refused = { kind: 'invalid', field: 'name', fault: 'must not end in /' }
    expect(await host.reply(cursor, 'store_secret', { name: 'prod/', value: 'v' })).toEqual(refused)
    await expect(host.window('secrets.store', { name: 'prod/', value: 'v' })).rejects.toThrow('must not end in /')
    expect(await host.call(cursor, 'get_secret', { name: 'prod/' })).toBe('Error: Secret not found: prod/')
    expect(await host.call(cursor, 'remove_secret', { name: 'prod/' })).toBe('Not found: prod/')
  })

  it('gets the value of a secret once, as text', async () => {
    const host = await openTestHost()
    await host.window('policies.save', { ...EVERYTHING, name: 'all' })
    await host.window('secrets.store', { name: 'a', value: 'it "is" this' })
    const cursor = await registered(host, 'cursor', 'all')
    expect(await host.reply(cursor, 'get_secret', { name: 'a' })).toEqual({ kind: 'result', text: 'it "is" this', isError: false })
  })

  it('that is revoked loses its open question, its grants and its key', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const call = host.call(cursor, 'store_secret', { name: 'a', value: 'v' })
    const [approval] = await host.open(1)
    await host.window('clients.revoke', { id: 'cursor' })
    expect(await call).toBe('Error: Denied by the person')
    expect(await host.answer(approval!, 'allow')).toBe(false)
    expect(await host.window('secrets.list')).toEqual([])
    await expect(host.window('clients.rotate', { id: 'cursor' })).rejects.toThrow("There is no client 'cursor'")
  })

  it('that is paused, or everybody while all is paused, is refused until resumed', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    await host.window('clients.pause', { id: 'cursor', paused: true })
    expect(await host.call(cursor, 'list_secrets')).toBe('Error: This client is paused; resume it in Countersign')
    await host.window('clients.pause', { id: 'cursor', paused: false })
    await host.window('host.pause', { minutes: 15 })
    expect(await host.call(cursor, 'list_secrets')).toBe('Error: Countersign is paused; resume it, then repeat the call')
    await host.clock.advance(15 * 60_000)
    expect(await host.call(cursor, 'list_secrets')).toBe('[]')
  })

  it('is not told of alarms, which name secrets it may not see', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const context = { caller: cursor, signal: new AbortController().signal, waiting: () => {} }
    void host.call(cursor, 'store_secret', { name: 'a', value: 'v' })
    await host.open(1)
    expect(await host.host.dispatch('client', 'status', {}, context)).toMatchObject({ state: 'open', alarms: [], waiting: 0 })
    expect(await host.window('status')).toMatchObject({ waiting: 1 })
  })

  it('without a registration is bound to default, and nothing is remembered for it', async () => {
    const host = await openTestHost()
    await host.window('secrets.store', { name: 'a', value: 'v' })
    const somebody = stranger()
    void host.call(somebody, 'get_secret', { name: 'a' })
    const [approval] = await host.open(1)
    expect(approval).toMatchObject({ standing: 'unverified', mayRemember: false, policy: 'default' })
    await host.answer(approval!, 'allow', 'always')
    void host.call(somebody, 'get_secret', { name: 'a' })
    expect(await host.open(1)).toHaveLength(1)
  })
})

describe('a person', () => {
  it('restores a former version, and clears history', async () => {
    const host = await openTestHost()
    await host.window('secrets.store', { name: 'a', value: 'one' })
    await host.window('secrets.store', { name: 'a', value: 'two', force: true })
    expect(await host.window('secrets.restore', { name: 'a', version: 1 })).toMatchObject({ version: 3 })
    expect(await host.window('secrets.reveal', { name: 'a', purpose: 'show' })).toEqual({ value: 'one' })
    await host.window('secrets.forget', { name: 'a' })
    expect(await host.window('secrets.versions', { name: 'a' })).toHaveLength(1)
  })

  it('finds which secret a string is', async () => {
    const host = await openTestHost()
    await host.window('secrets.store', { name: 'a', value: 'one' })
    expect(await host.window('secrets.identify', { value: 'one' })).toEqual([{ name: 'a', version: 1 }])
    expect(await host.window('secrets.identify', { value: 'two' })).toEqual([])
  })
})
