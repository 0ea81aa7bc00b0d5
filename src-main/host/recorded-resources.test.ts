import { renameSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { LedgerEntry } from '../../src-shared/audit.ts'
import type { Caller } from '../../src-shared/client.ts'
import type { MethodName, ParamsIn, Result } from '../../src-shared/rpc.ts'
import { openTestHost, registered, type TestHost } from './testing/test-host.ts'

const ask = async <M extends MethodName>({ host }: TestHost, caller: Caller, method: M, params: ParamsIn<M>): Promise<Result<M>> =>
  (await host.dispatch('client', method, params, { caller, signal: new AbortController().signal, waiting: () => {} })) as Result<M>

/** What a client is told names by. */
const WAYS = [
  (host: TestHost, caller: Caller) => ask(host, caller, 'resources.list', {}),
  (host: TestHost, caller: Caller) => ask(host, caller, 'resources.read', { uri: 'countersign://secrets/dev%2Fa' }),
  (host: TestHost, caller: Caller) => ask(host, caller, 'names.complete', { what: 'secret', prefix: '' }),
]

async function entries(host: TestHost, client: string): Promise<LedgerEntry[]> {
  const { rows } = await host.window('audit.query', { filter: { client: [client], event: ['call'] }, limit: 1000 })
  return (await Promise.all(rows.toReversed().map(({ seq }) => host.window('audit.story', { seq })))).flat()
}

async function withClient(): Promise<{ host: TestHost; cursor: Caller }> {
  const host = await openTestHost()
  await host.window('policies.save', { name: 'dev', description: '', allow: ['dev/*'], deny: [], reads: 'always' })
  for (const name of ['dev/a', 'prod/there']) await host.window('secrets.store', { name, value: 'v' })
  return { host, cursor: await registered(host, 'cursor', 'dev') }
}

describe('whatever tells a client a name', () => {
  it('is on record: a read of a resource as an entry of its own, like a call', async () => {
    const { host, cursor } = await withClient()
    const read = (uri: string) => ask(host, cursor, 'resources.read', { uri: `countersign://${uri}` })
    expect(await read('secrets/dev%2Fa')).not.toBeNull()
    expect(await read('secrets/dev%2Fabsent')).toBeNull()
    expect(await read('policies/dev')).not.toBeNull()
    expect(await read('policies/default')).toBeNull()
    expect(await read('secrets/not%20a%20name')).toBeNull()
    expect(
      (await entries(host, 'cursor')).map(({ kind, tool, secret, outcome, rule, detail }) => ({
        kind,
        tool,
        secret,
        outcome,
        rule,
        detail,
      })),
    ).toEqual(
      [
        { outcome: 'allowed', secret: 'dev/a', rule: 'policy dev: allow dev/*', detail: { kind: 'secret' } },
        { outcome: 'denied', secret: 'dev/absent', rule: 'policy dev: allow dev/*', detail: { kind: 'secret', reason: 'not found' } },
        { outcome: 'allowed', secret: null, rule: null, detail: { kind: 'policy' } },
        { outcome: 'denied', secret: null, rule: null, detail: { kind: 'policy', reason: 'not found' } },
        { outcome: 'denied', secret: null, rule: null, detail: { reason: 'no such resource' } },
      ].map((entry) => ({ kind: 'outcome', tool: 'resources/read', ...entry })),
    )
  })

  it('is on record joined, where it is a list or a completion: the first at once, the others once a minute', async () => {
    const { host, cursor } = await withClient()
    for (let n = 0; n < 3; n++) {
      await ask(host, cursor, 'resources.list', {})
      await ask(host, cursor, 'names.complete', { what: 'secret', prefix: 'dev' })
    }
    const counts = async () => (await entries(host, 'cursor')).map(({ tool, outcome, detail }) => [tool, outcome, detail['count']])
    const first = [
      ['resources/list', 'allowed', 1],
      ['completion/complete', 'allowed', 1],
    ]
    expect(await counts()).toEqual(first)
    await host.clock.advance(60_000)
    const rest = [
      ['resources/list', 'allowed', 2],
      ['completion/complete', 'allowed', 2],
    ]
    await expect.poll(counts).toEqual([...first, ...rest])
    await host.clock.advance(120_000)
    expect(await counts()).toHaveLength(4)
  })

  it('is still on record after a stop in the middle of the minute', async () => {
    const { host, cursor } = await withClient()
    for (let n = 0; n < 5; n++) await ask(host, cursor, 'resources.list', {})
    const next = await host.restart()
    expect((await entries(next, 'cursor')).map(({ detail }) => detail['count'])).toEqual([1, 4])
  })

  it.each([
    ['the client', 'This client is paused', (host: TestHost) => host.window('clients.pause', { id: 'cursor', paused: true })],
    ['everybody', 'Countersign is paused', (host: TestHost) => host.window('host.pause', { minutes: null })],
  ])('stops while %s is paused, and the try is on record', async (_who, sentence, pause) => {
    const { host, cursor } = await withClient()
    await pause(host)
    for (const way of WAYS) await expect(way(host, cursor)).rejects.toThrow(sentence)
    const found = await entries(host, 'cursor')
    expect(found.map(({ tool, outcome, detail }) => [tool, outcome, detail['reason']])).toEqual([
      ['resources/list', 'denied', 'paused'],
      ['resources/read', 'denied', 'paused'],
      ['completion/complete', 'denied', 'paused'],
    ])
  })

  it('is limited as calls are', async () => {
    const { host, cursor } = await withClient()
    await host.window('settings.set', { callsPerSecond: 1, callBurst: 1 })
    await ask(host, cursor, 'resources.list', {})
    for (const way of WAYS) await expect(way(host, cursor)).rejects.toThrow('Too many calls; at most 1 a second')
    await host.clock.advance(1000)
    await expect.poll(async () => (await entries(host, 'cursor')).at(-1)).toMatchObject({ outcome: 'limited', detail: { count: 3 } })
  })

  it('is refused when it cannot be recorded', async () => {
    const { host, cursor } = await withClient()
    renameSync(host.folder, `${host.folder}-away`)
    for (const way of WAYS) await expect(way(host, cursor)).rejects.toThrow('This call cannot be recorded, so it was not made')
    renameSync(`${host.folder}-away`, host.folder)
    for (const way of WAYS) expect(await way(host, cursor)).not.toBeNull()
  })
})

describe('a client that reads its own entries', () => {
  it('learns nothing of names outside its policy: a denied name is on record alike, whether it exists or not', async () => {
    const { host, cursor } = await withClient()
    const names = ['prod/there', 'prod/other']
    const seqs: number[][] = []
    for (const name of names) {
      const before = (await host.window('audit.totals', {})).head
      await ask(host, cursor, 'resources.read', { uri: `countersign://secrets/${encodeURIComponent(name)}` })
      for (const tool of ['get_secret', 'store_secret', 'remove_secret']) await host.call(cursor, tool, { name, value: 'v', force: true })
      await host.call(cursor, 'test_policy', { scope: 'dev', secret_name: name })
      seqs.push([1, 2, 3, 4, 5].map((step) => before + step))
    }
    const told = async (seq: number): Promise<unknown> => {
      const read = await ask(host, cursor, 'resources.read', { uri: `countersign://audit/${seq}` })
      const [entry] = JSON.parse(read?.text ?? '[]') as LedgerEntry[]
      const { tool, outcome, rule, approver, secret, detail } = entry!
      return JSON.parse(
        JSON.stringify({ tool, outcome, rule, approver, secret, detail: { ...detail, ms: 0, decidedMs: 0, keychainMs: 0 } }).replaceAll(
          names[1]!,
          names[0]!,
        ),
      )
    }
    for (const [index, seq] of seqs[0]!.entries()) expect(await told(seq)).toEqual(await told(seqs[1]![index]!))
    expect(await told(seqs[0]![0]!)).toMatchObject({
      tool: 'resources/read',
      outcome: 'denied',
      secret: null,
      detail: { name: 'prod/there' },
    })
  })
})
