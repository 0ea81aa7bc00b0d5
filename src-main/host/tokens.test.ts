import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Caller, Client } from '../../src-shared/client.ts'
import { CLI_CLIENT_ID } from '../../src-shared/client.ts'
import type { ToolReply } from '../../src-shared/rpc.ts'
import { openTestHost, registered, type TestHost } from './testing/test-host.ts'

const CLI: Caller = { clientId: CLI_CLIENT_ID, clientName: 'Command line', standing: 'verified', connection: 'c', peer: [] }
const add = (host: TestHost, id = 'ci', policy = 'default') => host.window('tokens.add', { id, name: `The ${id}`, policy })

function identify({ host }: TestHost, token: string): Client | null {
  const proof = host.http.recognise(token)
  return proof === null ? null : host.http.admit(proof)
}

async function cli(host: TestHost, tool: string, args: object = {}): Promise<string> {
  const context = { caller: CLI, signal: new AbortController().signal, waiting: () => {} }
  const reply = (await host.host.dispatch('cli', 'tools.call', { tool, arguments: args }, context)) as ToolReply
  return reply.kind === 'result' ? `${reply.isError ? 'Error: ' : ''}${reply.text}` : JSON.stringify(reply)
}

test('a token is told once, is found again by whoever shows it, and is on disk only as a hash', async () => {
  const host = await openTestHost()
  const { client, token } = await add(host)
  expect(client).toMatchObject({ id: 'ci', name: 'The ci', policy: 'default', via: 'http' })
  expect(token).toMatch(/^cs_[\w-]{43}$/)
  expect(identify(host, token)).toMatchObject({ id: 'ci' })
  expect(JSON.stringify([await host.window('tokens.list'), await host.window('clients.list'), await host.rows()])).not.toContain(
    token.slice(3),
  )
  const next = await host.restart()
  expect(identify(next, token)).toMatchObject({ id: 'ci' })
  for (const file of readdirSync(next.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())) {
    expect(readFileSync(path.join(file.parentPath, file.name)).includes(token.slice(3))).toBe(false)
  }
})

test('what is nearly a token is none', async () => {
  const host = await openTestHost()
  const { token } = await add(host)
  const last = token.at(-1) === 'A' ? 'B' : 'A'
  for (const wrong of ['', 'cs_', token.slice(0, -1), `${token}x`, token.slice(0, -1) + last, token.toUpperCase(), ` ${token}`])
    expect(identify(host, wrong)).toBeNull()
})

test('a client with a token has no key: the local socket does not know it', async () => {
  const host = await openTestHost()
  await add(host)
  expect(readdirSync(path.join(host.folder, 'keys'))).toEqual(['cli.key'])
  await expect(host.window('clients.rotate', { id: 'ci' })).rejects.toThrow('has a token, not a key')
})

test('after a rotation the token before is good until the new one has been used', async () => {
  const host = await openTestHost()
  const first = await add(host)
  const second = await host.window('tokens.rotate', { id: 'ci' })
  expect(identify(host, first.token)).not.toBeNull()
  expect(identify(host, second.token)).not.toBeNull()
  expect(identify(host, first.token)).toBeNull()
  const third = await host.window('tokens.rotate', { id: 'ci' })
  const fourth = await host.window('tokens.rotate', { id: 'ci' })
  expect(identify(host, second.token)).toBeNull()
  expect(identify(host, third.token)).not.toBeNull()
  expect(identify(await host.restart(), fourth.token)).not.toBeNull()
})

test('a revoked token is nobody’s, whichever way it was revoked; its id may be used again, its token not', async () => {
  const host = await openTestHost()
  for (const method of ['tokens.revoke', 'clients.revoke'] as const) {
    const { token } = await add(host)
    const ended: string[] = []
    host.host.http.onEnded((id) => ended.push(id))
    await host.window(method, { id: 'ci' })
    expect(identify(host, token)).toBeNull()
    expect(ended).toEqual(['ci'])
    await add(host)
    expect(identify(host, token)).toBeNull()
    await host.window('tokens.revoke', { id: 'ci' })
  }
  await registered(host, 'cursor')
  await expect(host.window('tokens.revoke', { id: 'cursor' })).rejects.toThrow("There is no token 'cursor'")
  await expect(host.window('tokens.rotate', { id: 'cursor' })).rejects.toThrow("There is no token 'cursor'")
})

test('an id or a policy that does not fit makes no token', async () => {
  const host = await openTestHost()
  await registered(host, 'cursor')
  await expect(add(host, 'cursor')).rejects.toThrow("There is a client 'cursor' already")
  await expect(add(host, 'ci', 'nope')).rejects.toThrow("There is no policy 'nope'")
  expect(await host.window('tokens.list')).toEqual([])
})

test('a row that somebody edited is refused with everything it stands for, and nothing wider takes its place', async () => {
  const host = await openTestHost()
  await host.window('policies.save', { name: 'none', description: '', allow: [], deny: [], reads: 'never' })
  const one = await add(host, 'ci', 'none')
  const two = await add(host, 'other', 'none')
  const db = new DatabaseSync(path.join(host.folder, 'vault.db'))
  db.exec("UPDATE rows SET body = replace(body, 'none', 'default') WHERE kind = 'client' AND id = 'ci'")
  db.exec("UPDATE rows SET body = upper(body) WHERE kind = 'setting' AND id = 'token:other'")
  db.close()
  await host.clock.advance(5000)
  expect(identify(host, one.token)).toBeNull()
  expect(identify(host, two.token)).toBeNull()
  const caller: Caller = { clientId: 'ci', clientName: 'ci', standing: 'new program', connection: 'x', peer: [] }
  await host.window('secrets.store', { name: 'a', value: 'b' })
  expect(await host.call(caller, 'list_secrets')).toBe('[]')
  expect(await host.call(caller, 'get_secret', { name: 'a' })).toBe("Error: Access denied: 'a' is outside this client's policy '(none)'")
})

test('the command line asks a person before it makes, changes or revokes a token, and sees only that they exist', async () => {
  const host = await openTestHost()
  const making = cli(host, 'add_token', { client: 'ci', policy: 'default' })
  const [approval] = await host.open(1)
  expect(approval).toMatchObject({
    tool: 'add_token',
    secret: null,
    hasValue: false,
    mayRemember: false,
    token: { client: 'ci', policy: 'default' },
  })
  expect(await host.window('tokens.list')).toEqual([])
  await host.answer(approval!, 'allow')
  const token = await making
  expect(identify(host, token)).toMatchObject({ id: 'ci' })
  expect(await cli(host, 'list_tokens')).toBe('["ci"]')

  const rotating = cli(host, 'rotate_token', { client: 'ci' })
  await host.answer((await host.open(1))[0]!, 'deny')
  expect(await rotating).toBe('Error: Denied by the person')
  const revoking = cli(host, 'revoke_token', { client: 'ci' })
  await host.answer((await host.open(1))[0]!, 'allow')
  expect(await revoking).toBe("Revoked the token of 'ci'")
  expect(identify(host, token)).toBeNull()

  const rows = (await host.rows()).filter(({ event }) => event === 'call').toReversed()
  expect(rows.map(({ tool, outcome, approver }) => [tool, outcome, approver])).toEqual([
    ['add_token', 'allowed', 'person'],
    ['list_tokens', 'allowed', 'policy'],
    ['rotate_token', 'denied', 'person'],
    ['revoke_token', 'allowed', 'person'],
  ])
  const stories = await Promise.all(rows.map(({ seq }) => host.window('audit.story', { seq })))
  expect(JSON.stringify(stories)).not.toContain(token.slice(3))
  expect(stories[0]?.filter(({ event }) => event === 'call').map(({ kind, detail }) => [kind, detail['token'], detail['policy']])).toEqual([
    ['intent', 'ci', 'default'],
    ['outcome', 'ci', 'default'],
  ])
})

test('what cannot be is said without asking anybody, and nobody but the command line can ask', async () => {
  const host = await openTestHost()
  await add(host)
  expect(await cli(host, 'add_token', { client: 'ci', policy: 'default' })).toBe("Error: There is a client 'ci' already")
  expect(await cli(host, 'add_token', { client: 'x', policy: 'nope' })).toBe('Error: Policy not found: nope')
  expect(await cli(host, 'rotate_token', { client: 'x' })).toBe("Error: There is no token 'x'")
  expect(await cli(host, 'revoke_token', { client: 'cli' })).toBe("Error: There is no token 'cli'")
  expect(await cli(host, 'add_token', { client: 'Not An Id', policy: 'default' })).toContain('"field":"client"')
  const cursor = await registered(host, 'cursor')
  for (const tool of ['list_tokens', 'add_token', 'rotate_token', 'revoke_token'])
    expect(await host.call(cursor, tool, { client: 'ci', policy: 'default' })).toBe(`Error: Unknown tool: ${tool}`)
})
