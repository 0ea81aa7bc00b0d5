import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { CLI_CLIENT_ID, type Caller } from '../../src-shared/client.ts'
import type { ToolReply } from '../../src-shared/rpc.ts'
import { openTestHost, type TestHost } from './testing/test-host.ts'

const DAY = 24 * 3600_000
const CLI: Caller = { clientId: CLI_CLIENT_ID, clientName: 'Command line', standing: 'verified', connection: 'c', peer: [] }

const add = (host: TestHost, days: number | null, id = 'ci') => host.window('tokens.add', { id, name: id, policy: 'default', days })

function isGood({ host }: TestHost, token: string): boolean {
  const proof = host.http.recognise(token)
  return proof !== null && host.http.admit(proof) !== null
}

async function endings(host: TestHost) {
  const rows = (await host.rows()).filter(({ event }) => event === 'token.ended')
  const stories = await Promise.all(rows.map(({ seq }) => host.window('audit.story', { seq })))
  return stories.flatMap((story) => story.map(({ detail }) => detail))
}

async function cli(host: TestHost, tool: string, args: object = {}): Promise<Extract<ToolReply, { kind: 'result' }>> {
  const context = { caller: CLI, signal: new AbortController().signal, waiting: () => {} }
  const reply = (await host.host.dispatch('cli', 'tools.call', { tool, arguments: args }, context)) as ToolReply
  if (reply.kind !== 'result') throw new Error(JSON.stringify(reply))
  return reply
}

test('a token with an end is good until then and nobody’s after it, which is shown, and on record once', async () => {
  const host = await openTestHost()
  const made = host.clock.now()
  const { client, token } = await add(host, 30)
  expect(client.tokenEnd).toEqual({ at: made + 30 * DAY, days: 30, over: false })
  host.clock.setWall(made + 30 * DAY - 1)
  expect(isGood(host, token)).toBe(true)
  host.clock.setWall(made + 30 * DAY)
  for (let i = 0; i < 3; i++) expect(isGood(host, token)).toBe(false)
  await host.clock.advance(10_000)
  expect(await host.window('clients.list')).toContainEqual(
    expect.objectContaining({ id: 'ci', tokenEnd: { at: made + 30 * DAY, days: 30, over: true } }),
  )
  expect(await endings(host)).toEqual([{ client: 'ci', at: made + 30 * DAY }])
})

test('a token without an end has none, and so has one from before there were ends', async () => {
  const host = await openTestHost()
  const { client, token } = await add(host, null)
  expect(client.tokenEnd).toBeUndefined()
  const db = new DatabaseSync(path.join(host.folder, 'vault.db'))
  // As the versions before wrote it: bare hashes.
  expect(JSON.parse(String(db.prepare("SELECT body FROM rows WHERE id = 'token:ci'").get()?.['body']))).toEqual([
    expect.stringMatching(/^[0-9a-f]{64}$/),
  ])
  db.close()
  const next = await host.restart()
  next.clock.setWall(next.clock.now() + 10_000 * DAY)
  expect(isGood(next, token)).toBe(true)
})

test('an end is noticed without anybody coming: it is on record, and what the client has open ends', async () => {
  const host = await openTestHost()
  await add(host, 1)
  const ended: string[] = []
  host.host.http.onEnded((id) => ended.push(id))
  host.clock.setWall(host.clock.now() + DAY)
  await host.clock.advance(5000)
  expect(ended).toEqual(['ci'])
  expect(await endings(host)).toHaveLength(1)
})

test('a clock that is set back revives no token that was seen to have ended, a restart in between included', async () => {
  const host = await openTestHost()
  const made = host.clock.now()
  const { token } = await add(host, 1)
  host.clock.setWall(made + DAY)
  expect(isGood(host, token)).toBe(false)
  host.clock.setWall(made)
  expect(isGood(host, token)).toBe(false)
  const next = await host.restart()
  next.clock.setWall(made)
  expect(isGood(next, token)).toBe(false)
  expect(await endings(next)).toHaveLength(1)
})

test('a token outlives a restart no longer than its end', async () => {
  const host = await openTestHost()
  const made = host.clock.now()
  const { token } = await add(host, 2)
  const next = await host.restart()
  next.clock.setWall(made + DAY)
  expect(isGood(next, token)).toBe(true)
  next.clock.setWall(made + 2 * DAY)
  expect(isGood(next, token)).toBe(false)
})

test('a rotation gives as many days anew, or those that were chosen; the token before keeps its own end', async () => {
  const host = await openTestHost()
  const made = host.clock.now()
  const first = await add(host, 10)
  host.clock.setWall(made + 9 * DAY)
  const second = await host.window('tokens.rotate', { id: 'ci' })
  expect(second.client.tokenEnd).toEqual({ at: made + 19 * DAY, days: 10, over: false })
  host.clock.setWall(made + 10 * DAY)
  expect(isGood(host, first.token)).toBe(false)
  expect(isGood(host, second.token)).toBe(true)
  const third = await host.window('tokens.rotate', { id: 'ci', days: 3 })
  expect(third.client.tokenEnd).toMatchObject({ at: made + 13 * DAY, days: 3 })
  const fourth = await host.window('tokens.rotate', { id: 'ci', days: null })
  expect(fourth.client.tokenEnd).toBeUndefined()
})

test('an ended token is replaced by a rotation, and stays nobody’s', async () => {
  const host = await openTestHost()
  const { token } = await add(host, 1)
  host.clock.setWall(host.clock.now() + DAY)
  await host.clock.advance(5000)
  const next = await host.window('tokens.rotate', { id: 'ci' })
  expect(next.client.tokenEnd).toMatchObject({ days: 1, over: false })
  expect([isGood(host, token), isGood(host, next.token)]).toEqual([false, true])
})

test('a row that somebody edited is not written anew when its token ends', async () => {
  const host = await openTestHost()
  const { token } = await add(host, 1)
  const db = new DatabaseSync(path.join(host.folder, 'vault.db'))
  db.exec("UPDATE rows SET body = upper(body) WHERE kind = 'setting' AND id = 'token:ci'")
  db.close()
  await host.clock.advance(5000)
  host.clock.setWall(host.clock.now() + DAY)
  expect(isGood(host, token)).toBe(false)
  await host.clock.advance(5000)
  expect((await host.rows()).filter(({ event }) => event === 'rows.tampered')).toHaveLength(1)
  const next = await host.restart()
  expect(isGood(next, token)).toBe(false)
})

test('the question of the command line says when the token will end, and its list when each does', async () => {
  const host = await openTestHost()
  const made = host.clock.now()
  const asked = async (tool: string, args: object) => {
    const answer = cli(host, tool, args)
    const [approval] = await host.open(1)
    await host.answer(approval!, 'allow')
    await answer
    return approval?.token
  }
  expect(await asked('add_token', { client: 'ci', policy: 'default', days: 7 })).toEqual({ client: 'ci', policy: 'default', days: 7 })
  expect(await asked('add_token', { client: 'two', policy: 'default' })).toEqual({ client: 'two', policy: 'default', days: null })
  expect((await cli(host, 'list_tokens')).structured).toMatchObject({
    tokens: [
      { client: 'ci', end: { at: made + 7 * DAY, over: false } },
      { client: 'two', end: null },
    ],
  })
  expect(await asked('rotate_token', { client: 'ci' })).toEqual({ client: 'ci', policy: null, days: 'same' })
  expect(await asked('rotate_token', { client: 'ci', days: 9 })).toEqual({ client: 'ci', policy: null, days: 9 })
  expect((await cli(host, 'list_tokens')).structured).toMatchObject({ tokens: [{ end: { at: made + 9 * DAY } }, { end: null }] })
  expect(await asked('revoke_token', { client: 'ci' })).toEqual({ client: 'ci', policy: null })
  for (const days of [0, -1, 1.5, 4000, '7'])
    await expect(cli(host, 'add_token', { client: 'x', policy: 'default', days })).rejects.toThrow('"field":"days"')
})
