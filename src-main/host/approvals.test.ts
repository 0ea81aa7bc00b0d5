import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src-shared/settings.ts'
import { createApprovals, type Matter } from './approvals.ts'
import { fakeClock } from './testing/fake-clock.ts'
import { openTestHost, registered, type TestHost } from './testing/test-host.ts'

const MINUTE = 60_000
const store = (name: string, value = 'v1', force = false) => ['store_secret', { name, value, force }] as const

async function withSecret(name = 'github/token'): Promise<TestHost> {
  const host = await openTestHost()
  await host.window('secrets.store', { name, value: 'the value' })
  return host
}

describe('a request', () => {
  it('that is overtaken while the log is told of its opening ends once', async () => {
    const opened = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const ends: string[] = []
    const approvals = createApprovals({
      clock: fakeClock(),
      settings: () => DEFAULT_SETTINGS,
      recordOpened: () => opened.promise,
      recordEnded: (_matter, _id, end) => {
        ends.push(end)
        return ended.promise
      },
      allowed: () => {},
      changed: () => {},
    })
    const answer = approvals.ask(someMatter(), Infinity, new AbortController().signal, () => {})
    const first = approvals.recheck(() => false)
    opened.resolve()
    await new Promise(setImmediate)
    expect(approvals.list()).toEqual([])
    const second = approvals.recheck(() => false)
    ended.resolve()
    await Promise.all([first, second])
    expect(await answer).toEqual({ kind: 'again' })
    expect(ends).toEqual(['overtaken'])
  })
})

describe('a write', () => {
  it('waits for a person and happens when allowed', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const call = host.call(cursor, ...store('a'))
    const [approval] = await host.open(1)
    expect(approval).toMatchObject({ tool: 'store_secret', secret: 'a', clientName: 'cursor', mayRemember: false, hasValue: true })
    expect(JSON.stringify(approval)).not.toContain('v1')
    expect(await host.answer(approval!, 'allow')).toBe(true)
    expect(await call).toBe("Stored secret 'a'")
    expect(await host.window('secrets.reveal', { name: 'a', purpose: 'show' })).toEqual({ value: 'v1' })
  })

  it('does not happen when denied', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const call = host.call(cursor, ...store('a'))
    const [approval] = await host.open(1)
    await host.answer(approval!, 'deny')
    expect(await call).toBe('Error: Denied by the person')
    expect(await host.window('secrets.list')).toEqual([])
  })

  it('is never remembered, whatever the answer says', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const first = host.call(cursor, ...store('a'))
    const [approval] = await host.open(1)
    await host.answer(approval!, 'allow', 'always')
    await first
    expect(await host.window('grants.list')).toEqual([])
    void host.call(cursor, ...store('a', 'v2', true))
    expect(await host.open(1)).toHaveLength(1)
  })

  it('that nobody answers returns the waiting text, and its prompt stays', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const call = host.call(cursor, ...store('a'))
    const [approval] = await host.open(1)
    await host.clock.advance(25_000)
    expect(await call).toBe(
      `Error: Waiting for approval (request ${approval!.id}). Ask the person to answer it in Countersign, then repeat the same call.`,
    )
    expect(await host.open(1)).toMatchObject([{ id: approval!.id, waiting: 0 }])
  })

  it('approved late executes nothing by itself and lets the same call through once', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const call = host.call(cursor, ...store('a'))
    const [approval] = await host.open(1)
    await host.clock.advance(25_000)
    await call
    await host.answer(approval!, 'allow')
    expect(await host.window('secrets.list')).toEqual([])
    void host.call(cursor, ...store('a', 'other value'))
    const [altered] = await host.open(1)
    await host.answer(altered!, 'deny')
    expect(await host.call(cursor, ...store('a'))).toBe("Stored secret 'a'")
    void host.call(cursor, ...store('a', 'v1', true))
    expect(await host.open(1)).toHaveLength(1)
  })

  it('approved late is forgotten after two minutes', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const call = host.call(cursor, ...store('a'))
    const [approval] = await host.open(1)
    await host.clock.advance(25_000)
    await call
    await host.answer(approval!, 'allow')
    await host.clock.advance(2 * MINUTE)
    void host.call(cursor, ...store('a'))
    expect(await host.open(1)).toHaveLength(1)
  })

  it('denied late is not asked about again when it is repeated', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const call = host.call(cursor, ...store('a'))
    const [approval] = await host.open(1)
    await host.clock.advance(25_000)
    await call
    await host.answer(approval!, 'deny')
    expect(await host.call(cursor, ...store('a'))).toBe('Error: Denied by the person')
  })

  it('cancelled by its client keeps its prompt, and a later allow lets the identical repeat through once', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const control = new AbortController()
    const call = host.call(cursor, ...store('a'), control.signal)
    const [approval] = await host.open(1)
    control.abort()
    await call
    await host.open(1)
    await host.answer(approval!, 'allow')
    expect(await host.window('secrets.list')).toEqual([])
    expect(await host.call(cursor, ...store('a'))).toBe("Stored secret 'a'")
    expect((await host.rows()).filter((row) => row.outcome === 'cancelled')).toHaveLength(1)
  })
})

describe('an approval', () => {
  it('expires after ten minutes, which is a denial, and a late click does nothing', async () => {
    const host = await openTestHost()
    await host.window('settings.set', { waitSeconds: 290 })
    const cursor = await registered(host, 'cursor')
    const first = host.call(cursor, ...store('a'))
    const [approval] = await host.open(1)
    await host.clock.advance(290_000)
    await first
    await host.clock.advance(9 * MINUTE - 290_000)
    const joined = host.call(cursor, ...store('a'))
    await host.clock.advance(MINUTE)
    expect(await joined).toBe('Error: The request for approval expired unanswered')
    expect(await host.answer(approval!, 'allow')).toBe(false)
    expect(await host.window('secrets.list')).toEqual([])
  })

  it('joins a hundred equal requests: one prompt, equal answers, a row for each', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const calls = Array.from({ length: 100 }, () => host.call(cursor, ...store('a')))
    const [approval] = await host.open(1)
    const current = (await host.window('approvals.list')).open[0]
    expect(current).toMatchObject({ id: approval!.id, count: 100 })
    await host.answer(current!, 'allow')
    expect(new Set(await Promise.all(calls))).toEqual(new Set(["Stored secret 'a'"]))
    expect((await host.rows()).filter(({ event }) => event === 'call')).toHaveLength(100)
    expect(await host.window('secrets.versions', { name: 'a' })).toHaveLength(1)
  })

  it('of one store is overtaken by another store of the same name, which then asks again', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const first = host.call(cursor, ...store('a', 'first', true))
    const [one] = await host.open(1)
    const second = host.call(cursor, ...store('a', 'second', true))
    await host.open(2)
    await host.answer(one!, 'allow')
    expect(await first).toBe("Stored secret 'a'")
    const [again] = await host.open(1)
    expect(again!.replaces).toMatchObject({ version: 1 })
    expect(await host.window('secrets.reveal', { name: 'a', purpose: 'show' })).toEqual({ value: 'first' })
    await host.answer(again!, 'deny')
    expect(await second).toBe('Error: Denied by the person')
  })

  it('needs the revision the person saw', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    void host.call(cursor, ...store('a'))
    const [approval] = await host.open(1)
    expect(await host.answer({ ...approval!, revision: approval!.revision + 1 }, 'allow')).toBe(false)
    expect(await host.open(1)).toHaveLength(1)
  })

  it('is ended by a policy that now denies: a deny wins over a click', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const call = host.call(cursor, ...store('a'))
    const [approval] = await host.open(1)
    await host.window('policies.save', { name: 'default', description: '', allow: ['*'], deny: ['a'], reads: 'first' })
    expect(await call).toBe("Error: Access denied: 'a' is outside this client's policy 'default'")
    expect(await host.answer(approval!, 'allow')).toBe(false)
  })

  it('and three of them on quit are three denials and no writes', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    const calls = ['a', 'b', 'c'].map((name) => host.call(cursor, ...store(name)))
    await host.open(3)
    const next = await host.restart()
    expect(await Promise.all(calls)).toEqual(Array(3).fill('Error: Denied by the person'))
    expect(await next.window('secrets.list')).toEqual([])
  })

  it('is refused when three are open, and when five were opened within a minute', async () => {
    const host = await openTestHost()
    const cursor = await registered(host, 'cursor')
    for (const name of ['a', 'b', 'c']) void host.call(cursor, ...store(name))
    const open = await host.open(3)
    const text = 'Error: Too many open approval requests; wait for an answer'
    expect(await host.call(cursor, ...store('d'))).toBe(text)
    for (const approval of open) await host.answer(approval, 'deny')
    for (const name of ['d', 'e']) void host.call(cursor, ...store(name))
    for (const approval of await host.open(2)) await host.answer(approval, 'deny')
    expect(await host.call(cursor, ...store('f'))).toBe(text)
    await host.clock.advance(MINUTE)
    void host.call(cursor, ...store('f'))
    expect(await host.open(1)).toHaveLength(1)
  })

  it('ignored twice in a row pauses that client alone, until it is resumed', async () => {
    const host = await openTestHost()
    const [cursor, claude] = [await registered(host, 'cursor'), await registered(host, 'claude')]
    for (const name of ['a', 'b']) {
      void host.call(cursor, ...store(name))
      await host.open(1)
      await host.clock.advance(10 * MINUTE)
      await host.open(0)
    }
    expect(await host.call(cursor, ...store('c'))).toMatch(
      /^Error: This client is paused until \d\d:\d\d: two requests expired unanswered$/,
    )
    void host.call(claude, ...store('c'))
    const [other] = await host.open(1)
    await host.answer(other!, 'deny')
    await host.window('clients.resume', { id: 'cursor' })
    void host.call(cursor, ...store('c'))
    expect(await host.open(1)).toHaveLength(1)
  })
})

describe('a remembered read', () => {
  it('lets the same client read the same secret again, and nothing else', async () => {
    const host = await withSecret()
    await host.window('secrets.store', { name: 'other', value: 'o' })
    const [cursor, claude] = [await registered(host, 'cursor'), await registered(host, 'claude')]
    const first = host.call(cursor, 'get_secret', { name: 'github/token' })
    const [approval] = await host.open(1)
    expect(approval!.mayRemember).toBe(true)
    await host.answer(approval!, 'allow', '15m')
    expect(await first).toBe('the value')
    expect(await host.call(cursor, 'get_secret', { name: 'github/token' })).toBe('the value')
    void host.call(cursor, ...store('github/token', 'x', true))
    void host.call(cursor, 'remove_secret', { name: 'github/token' })
    void host.call(cursor, 'get_secret', { name: 'other' })
    void host.call(claude, 'get_secret', { name: 'github/token' })
    expect(await host.open(4)).toHaveLength(4)
  })

  it('for 15 minutes ends on monotonic time, wherever the clock is set', async () => {
    const host = await withSecret()
    const cursor = await registered(host, 'cursor')
    void host.call(cursor, 'get_secret', { name: 'github/token' })
    const [approval] = await host.open(1)
    await host.answer(approval!, 'allow', '15m')
    host.clock.setWall(host.clock.now() - 24 * 60 * MINUTE)
    await host.clock.advance(15 * MINUTE)
    void host.call(cursor, 'get_secret', { name: 'github/token' })
    expect(await host.open(1)).toHaveLength(1)
  })

  it('until I lock ends with the lock; always survives it and a restart', async () => {
    const host = await withSecret()
    const cursor = await registered(host, 'cursor')
    const claude = await registered(host, 'claude')
    for (const [caller, remember] of [
      [cursor, 'lock'],
      [claude, 'always'],
    ] as const) {
      void host.call(caller, 'get_secret', { name: 'github/token' })
      const [approval] = await host.open(1)
      await host.answer(approval!, 'allow', remember)
    }
    await host.window('host.lock')
    expect(await host.window('grants.list')).toMatchObject([{ clientId: 'claude', end: { kind: 'always' } }])
    const next = await host.restart()
    expect(await next.call(claude, 'get_secret', { name: 'github/token' })).toBe('the value')
    const [grant] = await next.window('grants.list')
    await next.window('grants.revoke', { id: grant!.id })
    void next.call(claude, 'get_secret', { name: 'github/token' })
    expect(await next.open(1)).toHaveLength(1)
  })

  it('is not offered to a program we do not know', async () => {
    const host = await withSecret()
    const cursor = await registered(host, 'cursor')
    void host.call({ ...cursor, standing: 'new program' }, 'get_secret', { name: 'github/token' })
    const [approval] = await host.open(1)
    expect(approval!.mayRemember).toBe(false)
    await host.answer(approval!, 'allow', 'always')
    expect((await host.window('grants.list')).filter(({ covers }) => covers === 'reads')).toEqual([])
  })
})

function someMatter(): Matter {
  const caller: Matter['call']['caller'] = {
    clientId: 'cursor',
    clientName: 'Cursor',
    standing: 'verified',
    connection: 'c',
    peer: [],
  }
  const request = { tool: 'remove_secret', name: 'a' } as const
  const call = { id: 'c', caller, says: null, request, received: 0 }
  return { call, digest: 'd', policy: 'default', version: 1, replaces: null, mayRemember: false, warning: null }
}
