import { describe, expect, it } from 'vitest'
import type { Caller } from '../../src-shared/client.ts'
import { openTestHost, registered, type TestHost } from './testing/test-host.ts'

const NAME = 'github/token'
const GET = ['get_secret', { name: NAME }] as const
const STORE = ['store_secret', { name: 'a', value: 'v1', force: false }] as const
const waitingText = /^Error: Waiting for approval/

async function desk(): Promise<{ host: TestHost; cursor: Caller; thief: Caller }> {
  const host = await openTestHost()
  await host.window('secrets.store', { name: NAME, value: 'the value' })
  const cursor = await registered(host, 'cursor')
  return { host, cursor, thief: newProgram(cursor, '/tmp/thief') }
}

/** Whoever else found the registration's key. */
function newProgram(caller: Caller, program: string | null): Caller {
  return { ...caller, standing: 'new program', connection: `of ${program}`, program, process: program && `7 ${program}` }
}

const otherProcess = (caller: Caller): Caller => ({ ...caller, connection: 'another', process: '4711 99' })

describe('a remembered yes', () => {
  it('is not for another program that uses the same key', async () => {
    const { host, cursor, thief } = await desk()
    void host.call(cursor, ...GET)
    const [approval] = await host.open(1)
    await host.answer(approval!, 'allow', 'always')
    expect(await host.call(cursor, ...GET)).toBe('the value')
    void host.call(thief, ...GET)
    expect(await host.open(1)).toMatchObject([{ standing: 'new program', mayRemember: false }])
  })

  it('is for the program the person saw, not for the one that is verified after it was forgotten', async () => {
    const { host, cursor, thief } = await desk()
    void host.call(cursor, ...GET)
    const [approval] = await host.open(1)
    await host.answer(approval!, 'allow', 'always')
    await host.window('clients.forgetProgram', { id: 'cursor' })
    void host.call({ ...thief, standing: 'verified' }, ...GET)
    expect(await host.open(1)).toHaveLength(1)
  })
})

describe('an open question', () => {
  it.each(['/tmp/thief', null])('is not joined by another program that uses the same key (%s)', async (program) => {
    const { host, cursor } = await desk()
    void host.call(cursor, ...GET)
    const [first] = await host.open(1)
    const stolen = host.call(newProgram(cursor, program), ...GET)
    const both = await host.open(2)
    await host.answer(first!, 'allow')
    const [other] = await host.open(1)
    expect(both).toContainEqual(other)
    await host.answer(other!, 'deny')
    expect(await stolen).toBe('Error: Denied by the person')
  })

  it('is not joined by another process of the same program: that one is asked about by itself', async () => {
    const { host, cursor } = await desk()
    void host.call(cursor, ...GET)
    await host.open(1)
    void host.call(otherProcess(cursor), ...GET)
    expect((await host.open(2)).map(({ count, revision }) => [count, revision])).toEqual([
      [1, 1],
      [1, 1],
    ])
  })

  it('that nobody waits for any more makes room for the same one of another process', async () => {
    const { host, cursor } = await desk()
    const first = host.call(cursor, ...GET)
    const [left] = await host.open(1)
    await host.clock.advance(25_000)
    expect(await first).toMatch(waitingText)
    const second = host.call(otherProcess(cursor), ...GET)
    const [asked] = await host.open(1).then(async () => {
      for (;;) {
        const open = await host.open(1)
        if (open[0]?.id !== left!.id) return open
      }
    })
    expect(asked).toMatchObject({ waiting: 1, count: 1 })
    expect(await host.answer(left!, 'allow')).toBe(false)
    await host.answer(asked!, 'allow')
    expect(await second).toBe('the value')
  })

  it('joined by an equal request takes no answer that was given to what stood there before', async () => {
    const { host, cursor } = await desk()
    const calls = [host.call(cursor, ...GET)]
    const [seen] = await host.open(1)
    calls.push(host.call(cursor, ...GET))
    expect(await host.answer(seen!, 'allow')).toBe(false)
    const [now] = await host.open(1)
    expect(now).toMatchObject({ id: seen!.id, count: 2 })
    expect(await host.answer(now!, 'allow')).toBe(true)
    expect(await Promise.all(calls)).toEqual(['the value', 'the value'])
  })

  it('cannot be kept from an answer by a client that joins without end, or leaves and comes again', async () => {
    const { host, cursor } = await desk()
    await host.window('settings.set', { callsPerSecond: 10_000, callBurst: 10_000, callsInFlight: 1000 })
    void host.call(cursor, ...GET)
    await host.open(1)
    for (let round = 0; round < 200; round++) {
      const leaving = new AbortController()
      void host.call(cursor, ...GET)
      const call = host.call(cursor, ...GET, leaving.signal)
      leaving.abort()
      await call
    }
    const [asked] = await host.open(1)
    expect(asked!.count).toBeGreaterThan(200)
    expect(asked!.revision).toBeLessThan(20)
    expect(await host.answer(asked!, 'allow')).toBe(true)
  })
})

describe('a late approval', () => {
  async function allowedLate(caller: Caller, host: TestHost): Promise<void> {
    const call = host.call(caller, ...STORE)
    const [approval] = await host.open(1)
    await host.clock.advance(25_000)
    expect(await call).toMatch(waitingText)
    await host.answer(approval!, 'allow')
  }

  it('lets nothing of another program through that uses the same key', async () => {
    const { host, cursor, thief } = await desk()
    await allowedLate(cursor, host)
    void host.call(thief, ...STORE)
    const [asked] = await host.open(1)
    await host.answer(asked!, 'deny')
    expect(await host.call(cursor, ...STORE)).toBe("Stored secret 'a'")
  })

  it('of a program that nobody can name is for its own connection alone', async () => {
    const { host, cursor } = await desk()
    const nameless = newProgram(cursor, null)
    await allowedLate(nameless, host)
    void host.call({ ...nameless, connection: 'another' }, ...STORE)
    const [asked] = await host.open(1)
    await host.answer(asked!, 'deny')
    expect(await host.call(nameless, ...STORE)).toBe("Stored secret 'a'")
  })

  it('of a new program lets its repeat through, though the program is known since', async () => {
    const { host, cursor } = await desk()
    const fresh = newProgram(cursor, '/opt/cursor')
    await allowedLate(fresh, host)
    expect(await host.call({ ...fresh, standing: 'verified' }, ...STORE)).toBe("Stored secret 'a'")
  })
})

describe('the program behind a client', () => {
  it('is learned with the first call a person allows, which is on record, as forgetting it is', async () => {
    const { host, cursor } = await desk()
    const fresh = newProgram(cursor, '/opt/cursor')
    const calls = [host.call(fresh, ...GET), host.call(fresh, ...STORE)]
    for (const approval of await host.open(2)) await host.answer(approval, 'allow')
    await Promise.all(calls)
    expect(await host.window('clients.list')).toContainEqual(expect.objectContaining({ id: 'cursor', program: '/opt/cursor' }))
    const learned = (await host.rows()).filter(({ event }) => event === 'client.program recorded')
    expect(learned).toMatchObject([{ client: '(you)', approver: 'person' }])
    const [entry] = await host.window('audit.story', { seq: learned[0]!.seq })
    expect(entry?.detail).toEqual({ client: 'cursor', program: '/opt/cursor' })
  })

  it('makes an open question of its own joinable for the same program, which is verified since', async () => {
    const { host, cursor } = await desk()
    const fresh = newProgram(cursor, '/opt/cursor')
    const read = host.call(fresh, ...GET)
    const [one] = await host.open(1)
    void host.call(fresh, ...STORE)
    await host.open(2)
    await host.answer(one!, 'allow')
    await read
    void host.call({ ...fresh, standing: 'verified' }, ...STORE)
    await expect.poll(async () => (await host.open(1))[0]?.count).toBe(2)
  })
})
