// The official SDK's clients over HTTP, which check every message they get against their own schemas.

import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { TOOL_NAMES } from '../src-shared/tools.ts'
import { openHttpDesk, type HttpDesk } from './support/http.ts'

interface Spoken {
  listTools: () => Promise<string[]>
  call: (name: string, args?: Record<string, unknown>, onProgress?: () => void, signal?: AbortSignal) => Promise<string>
  resources: () => Promise<string[]>
  read: (uri: string) => Promise<string>
}

const textIn = (result: object): string => ('content' in result ? ((result.content as { text: string }[])[0]?.text ?? '') : '')

async function first(desk: HttpDesk): Promise<Spoken> {
  const client = new Client({ name: 'sdk-one', version: '1' })
  onTestFinished(() => client.close())
  const transport = new StreamableHTTPClientTransport(new URL(desk.mcp), {
    requestInit: { headers: { Authorization: `Bearer ${desk.token}` } },
  })
  await client.connect(transport)
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, onprogress, signal) =>
      textIn(await client.callTool({ name, arguments: args }, undefined, { ...(onprogress && { onprogress }), ...(signal && { signal }) })),
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    read: async (uri) => JSON.stringify(await client.readResource({ uri })),
  }
}

const modes = {
  auto: { mode: 'auto', speaks: '2026-07-28' },
  legacy: { mode: 'legacy', speaks: '2025-11-25' },
  pinned: { mode: { pin: '2026-07-28' }, speaks: '2026-07-28' },
} as const

async function second(desk: HttpDesk, name: keyof typeof modes): Promise<Spoken> {
  const client = new ModernClient({ name: 'sdk-two', version: '2' }, { versionNegotiation: { mode: modes[name].mode } })
  onTestFinished(() => client.close())
  await client.connect(new ModernTransport(new URL(desk.mcp), { requestInit: { headers: { Authorization: `Bearer ${desk.token}` } } }))
  expect(client.getNegotiatedProtocolVersion()).toBe(modes[name].speaks)
  return {
    listTools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (tool, args = {}, onprogress, signal) =>
      textIn(await client.callTool({ name: tool, arguments: args }, { ...(onprogress && { onprogress }), ...(signal && { signal }) })),
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    read: async (uri) => JSON.stringify(await client.readResource({ uri })),
  }
}

const clients: [string, (desk: HttpDesk) => Promise<Spoken>][] = [
  ["the first SDK's client", first],
  ["the second SDK's client, negotiating by itself", (desk) => second(desk, 'auto')],
  ["the second SDK's client, in the old era", (desk) => second(desk, 'legacy')],
  ["the second SDK's client, pinned to the new era", (desk) => second(desk, 'pinned')],
]

describe.each(clients)('%s', (_who, connect) => {
  test('lists, reads, stores with a person’s consent while it hears of the wait, and removes', async () => {
    const desk = await openHttpDesk()
    const client = await connect(desk)
    expect(await client.listTools()).toEqual([...TOOL_NAMES])
    let signs = 0
    const storing = client.call('store_secret', { name: 'a/key', value: 'é 🔑' }, () => signs++)
    await desk.someone.answerNext('allow')
    expect(await storing).toBe("Stored secret 'a/key'")
    expect(signs).toBeGreaterThan(0)
    expect(await client.call('get_secret', { name: 'a/key' })).toBe('é 🔑')
    expect(await client.resources()).toEqual(['countersign://policies/http', 'countersign://secrets/a%2Fkey'])
    expect(await client.read('countersign://secrets/a%2Fkey')).toContain('a/key')
    const removing = client.call('remove_secret', { name: 'a/key' })
    await desk.someone.answerNext('allow')
    expect(await removing).toBe('Removed: a/key')
    expect(await client.call('get_secret', { name: 'a/key' })).toBe('Error: Secret not found: a/key')
  })

  test('that gives up takes its call back: a late allow stores nothing', async () => {
    const desk = await openHttpDesk()
    const client = await connect(desk)
    const control = new AbortController()
    const giving = client.call('store_secret', { name: 'a/key', value: 'v' }, () => control.abort(), control.signal)
    await expect(giving).rejects.toThrow()
    await expect.poll(async () => (await desk.someone.waiting(1))[0]?.waiting, { timeout: 20_000 }).toBe(0)
    await desk.someone.answerNext('allow')
    expect(await desk.someone.ask('secrets.list')).toEqual([])
  })
})

test('without the right token neither SDK gets in', async () => {
  const desk = await openHttpDesk()
  const wrong = { ...desk, token: `cs_${'A'.repeat(43)}` }
  await expect(first(wrong)).rejects.toThrow(/401|Unauthorized/)
  await expect(second(wrong, 'pinned')).rejects.toThrow()
})

test('the second SDK’s client hears of new names on the stream it listens on', async () => {
  const desk = await openHttpDesk()
  const client = new ModernClient(
    { name: 'sdk-two', version: '2' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } }, listChanged: { resources: { onChanged: (error) => heard.resolve(error) } } },
  )
  const heard = Promise.withResolvers<Error | null>()
  onTestFinished(() => client.close())
  await client.connect(new ModernTransport(new URL(desk.mcp), { requestInit: { headers: { Authorization: `Bearer ${desk.token}` } } }))
  const change = () => desk.someone.ask('secrets.store', { name: `name-${Date.now()}`, value: 'x' })
  // The last of them may still be under way when the host goes.
  const changing = setInterval(() => void change().catch(() => {}), 500)
  onTestFinished(() => clearInterval(changing))
  expect(await heard.promise).toBeNull()
})
