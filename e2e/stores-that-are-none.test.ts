// Messages that look like a store and are none: nothing is stored, nobody is asked, the error is clear, the call is on record.

import { describe, expect, test } from 'vitest'
import type { LedgerEntry } from '../src-shared/audit.ts'
import type { RunningBridge } from './support/bridge.ts'
import { openDesk, type Desk } from './support/desk.ts'
import { REVISIONS, speak, type Revision, type Speaker } from './support/revisions.ts'

const VALUE = 'a value that must not be seen'

interface Attempt {
  name: string
  /** `rejected` rows it must leave. */
  recorded: number
  /** What is recorded as the reason. */
  reason: string
  run: (bridge: RunningBridge, speaker: Speaker, revision: Revision) => Promise<void>
}

/** A store whose arguments break the tool's schema: how it is refused depends on the revision. */
const broken = (name: string, args: object, field: string, fault: string): Attempt => ({
  name,
  recorded: 1,
  reason: `${field} ${fault}`,
  async run(_, speaker, revision) {
    const { result, error } = await speaker.call('store_secret', args)
    const sentence = `Invalid argument '${field}': ${fault}`
    if (revision >= '2025-11-25') expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: `Error: ${sentence}` }] })
    else expect(error).toEqual({ code: -32602, message: 'Invalid params', data: sentence })
  },
})

const NAME_FAULT = 'must start with a letter or digit and use only letters, digits and . _ @ / -'
const store = { name: 'store_secret', arguments: { name: 'x', value: VALUE } }

const attempts: Attempt[] = [
  {
    name: 'as a notification',
    recorded: 1,
    reason: 'notification',
    async run(bridge, { dress, request }) {
      const before = bridge.messages.length
      bridge.send({ jsonrpc: '2.0', method: 'tools/call', params: dress(store) })
      await request('tools/list')
      expect(bridge.messages.slice(before)).toHaveLength(1)
    },
  },
  {
    name: 'with an id that is none',
    recorded: 1,
    reason: 'id must be a string or a number that is exact in double precision',
    async run(bridge, { dress }) {
      bridge.send({ jsonrpc: '2.0', id: null, method: 'tools/call', params: dress(store) })
      expect(await bridge.find(({ id }) => id === null)).toMatchObject({ error: { code: -32600 } })
    },
  },
  broken('with force as a text', { name: 'x', value: VALUE, force: 'yes' }, 'force', 'must be true or false'),
  broken('with a value of 64 KiB and a byte', { name: 'x', value: 'v'.repeat(65_537) }, 'value', 'must be at most 65536 bytes'),
  broken('with 64 KiB of letters that take two bytes', { name: 'x', value: 'é'.repeat(65_536) }, 'value', 'must be at most 65536 bytes'),
  broken('with a name that climbs', { name: '../x', value: VALUE }, 'name', NAME_FAULT),
  broken('with a name that climbs later', { name: 'a/../x', value: VALUE }, 'name', 'must not contain . or .. segments'),
  broken('with an empty segment', { name: 'a//x', value: VALUE }, 'name', 'must not contain //'),
  broken('with a name of 129 letters', { name: 'n'.repeat(129), value: VALUE }, 'name', 'must be at most 128 characters'),
  broken('with a line feed in the name', { name: 'x\n', value: VALUE }, 'name', NAME_FAULT),
  broken('with an empty value', { name: 'x', value: '' }, 'value', 'must not be empty'),
  broken('with NUL in the value', { name: 'x', value: `${VALUE}\0` }, 'value', 'must not contain NUL'),
  broken('with half a character', { name: 'x', value: '\ud800' }, 'value', 'must be well-formed Unicode'),
  broken('with a number for a value', { name: 'x', value: 1 }, 'value', 'must be a string'),
  broken('without a value', { name: 'x', secret: VALUE }, 'value', 'is required'),
  broken('with the name on the prototype', JSON.parse(`{"__proto__":{"name":"x"},"value":"${VALUE}"}`) as object, 'name', 'is required'),
]

const inBatch: Attempt = {
  name: 'in a batch',
  recorded: 1,
  reason: 'batch',
  async run(bridge, { dress }) {
    const before = bridge.messages.length
    bridge.write(
      `${JSON.stringify([
        { jsonrpc: '2.0', id: 'b1', method: 'tools/list', params: dress({}) },
        { jsonrpc: '2.0', id: 'b2', method: 'tools/call', params: dress(store) },
      ])}\n`,
    )
    await bridge.find((message) => bridge.messages.indexOf(message) >= before)
    expect(bridge.messages.slice(before)).toEqual([
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'Invalid Request', data: expect.stringMatching(/one message at a time/) },
      },
    ])
  },
}

async function rejections({ someone }: Desk): Promise<LedgerEntry[]> {
  const rows = (await someone.rows()).filter(({ outcome }) => outcome === 'rejected')
  return (await Promise.all(rows.map(({ lastSeq }) => someone.ask('audit.story', { seq: lastSeq })))).flat()
}

describe.each(REVISIONS)('in %s a store', (revision) => {
  test('that is none stores nothing, asks nobody, and is on record', async () => {
    const desk = await openDesk()
    const bridge = await desk.client('cursor', { reads: 'always' })
    const speaker = await speak(bridge, revision)
    const here = revision === '2025-03-26' ? attempts : [...attempts, inBatch]
    for (const { run } of here) await run(bridge, speaker, revision)

    expect((await desk.someone.ask('approvals.list')).open).toEqual([])
    expect(await desk.someone.ask('secrets.list')).toEqual([])
    await expect.poll(async () => (await rejections(desk)).length).toBe(here.length)
    const recorded = await rejections(desk)
    expect(recorded.map(({ detail }) => JSON.stringify(detail['reason'])).toSorted()).toEqual(
      here.map(({ reason }) => JSON.stringify(reason)).toSorted(),
    )
    for (const entry of recorded) expect(entry).toMatchObject({ kind: 'outcome', client: 'cursor', tool: 'store_secret', secret: null })
    expect(JSON.stringify(recorded)).not.toContain(VALUE)
    expect((await desk.someone.rows()).filter(({ event }) => event.startsWith('approval'))).toEqual([])
  })
})

test('in 2025-03-26, which has batches, a store in one asks a person like any other', async () => {
  const { client, someone } = await openDesk()
  const bridge = await client('cursor', { reads: 'always' })
  await bridge.initialize('2025-03-26')
  bridge.write(
    `${JSON.stringify([
      { jsonrpc: '2.0', id: 'b1', method: 'ping' },
      { jsonrpc: '2.0', id: 'b2', method: 'tools/call', params: store },
    ])}\n`,
  )
  expect(await someone.answerNext('allow')).toMatchObject({ tool: 'store_secret', secret: 'x' })
  expect(await bridge.find(({ id }) => id === 'b2')).toMatchObject({ result: { content: [{ text: "Stored secret 'x'" }] } })
  expect(await bridge.find(({ id }) => id === 'b1')).toMatchObject({ result: {} })
})
