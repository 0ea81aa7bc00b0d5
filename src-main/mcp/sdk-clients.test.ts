// The official SDK's clients, which check every message they get against their own schemas, on a wire inside this process.

import { Client as ModernClient, type JSONRPCMessage as ModernMessage } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import { TOOL_NAMES } from '../../src-shared/tools.ts'
import { MODERN } from './revisions.ts'
import { createMcpServer, type McpServer } from './server.ts'
import { recorder, result, SERVER_INFO } from './testing.ts'

const backend = recorder({
  callTool: (call) => {
    call.onWaiting('Waiting for a person')
    if (call.tool === 'get_secret') return Promise.resolve(result('v', { name: 'a', value: 'v' }))
    if (call.tool === 'list_secrets') return Promise.resolve(result('["a"]', { names: ['a'] }))
    if (call.tool === 'store_secret') return Promise.resolve(result("Stored secret 'a'", { name: 'a', version: 1 }))
    if (call.tool === 'remove_secret') return Promise.resolve(result('Not found: a', { name: 'a', removed: false }))
    if (call.tool === 'test_policy') return Promise.resolve(result('allowed', { allowed: true, rule: '*' }))
    return Promise.resolve({ kind: 'result', text: `Unknown tool: ${call.tool}`, isError: true })
  },
  listResources: (cursor) =>
    Promise.resolve({ resources: [{ uri: 'countersign://secrets/a', name: 'a', description: 'A' }], next: cursor === null ? '2' : null }),
  readResource: (uri) => Promise.resolve(uri === 'countersign://secrets/a' ? { text: '{}' } : null),
  complete: () => Promise.resolve({ values: ['a'], total: 1 }),
})

/** One end of the wire. Messages cross it as text, as they would a pipe. */
class Wire<M extends JSONRPCMessage | ModernMessage> {
  onmessage?: (message: M) => void
  onclose?: () => void
  readonly server: McpServer

  constructor() {
    this.server = createMcpServer({
      backend: () => backend,
      serverInfo: SERVER_INFO,
      send: (message) => {
        const text = JSON.stringify(message)
        queueMicrotask(() => this.onmessage?.(JSON.parse(text)))
      },
    })
  }
  start(): Promise<void> {
    return Promise.resolve()
  }
  send(message: M): Promise<void> {
    this.server.receive(JSON.stringify(message))
    return Promise.resolve()
  }
  async close(): Promise<void> {
    await this.server.close()
    this.onclose?.()
  }
}

const open: { close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const client of open.splice(0)) await client.close()
})

const ARGUMENTS = { name: 'a', value: 'v', scope: 'default', secret_name: 'a' }

describe('the client of the first SDK', () => {
  async function connected(): Promise<Client> {
    const client = new Client({ name: 'sdk-one', version: '1' })
    await client.connect(new Wire<JSONRPCMessage>())
    open.push(client)
    return client
  }

  it('connects, lists five tools and calls each, with progress', async () => {
    const client = await connected()
    expect(client.getServerVersion()).toEqual(SERVER_INFO)
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toEqual([...TOOL_NAMES])
    for (const { name } of tools) {
      const signs: unknown[] = []
      const answer = await client.callTool({ name, arguments: ARGUMENTS }, undefined, { onprogress: (sign) => void signs.push(sign) })
      expect('structuredContent' in answer).toBe(name !== 'get_secret')
      expect(signs).toEqual([{ progress: 1, message: 'Waiting for a person' }])
    }
    expect(await client.callTool({ name: 'nope' })).toMatchObject({ isError: true })
  })

  it('pings, reads and completes resources, and hears of changes', async () => {
    const wire = new Wire<JSONRPCMessage>()
    const client = new Client({ name: 'sdk-one', version: '1' })
    open.push(client)
    const changed = new Promise<unknown>((resolve) => {
      client.fallbackNotificationHandler = (notification) => Promise.resolve(resolve(notification))
    })
    await client.connect(wire)
    await client.ping()
    await client.setLoggingLevel('warning')
    expect(await client.listResources()).toMatchObject({ nextCursor: '2' })
    expect(await client.listResourceTemplates()).toHaveProperty('resourceTemplates.length', 3)
    expect(await client.readResource({ uri: 'countersign://secrets/a' })).toHaveProperty('contents.length', 1)
    await expect(client.readResource({ uri: 'countersign://secrets/b' })).rejects.toThrow('Resource not found')
    await client.subscribeResource({ uri: 'countersign://secrets/a' })
    const ref = { type: 'ref/resource' as const, uri: 'countersign://secrets/{name}' }
    expect(await client.complete({ ref, argument: { name: 'name', value: '' } })).toMatchObject({ completion: { values: ['a'] } })
    wire.server.namesChanged()
    expect(await changed).toMatchObject({ method: 'notifications/resources/list_changed' })
  })
})

type Mode = 'legacy' | 'auto' | { pin: string }

async function connectedModern(mode: Mode): Promise<{ client: ModernClient; wire: Wire<ModernMessage> }> {
  const wire = new Wire<ModernMessage>()
  const client = new ModernClient({ name: 'sdk-two', version: '2' }, { versionNegotiation: { mode } })
  await client.connect(wire)
  open.push(client)
  return { client, wire }
}

describe.each<Mode>(['legacy', 'auto', { pin: MODERN }])('the client of the second SDK, negotiating %j', (mode) => {
  it('connects, lists five tools and calls each', async () => {
    const { client } = await connectedModern(mode)
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'legacy' ? '2025-11-25' : MODERN)
    expect(client.getServerVersion()).toEqual(SERVER_INFO)
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toEqual([...TOOL_NAMES])
    for (const { name } of tools) {
      expect('structuredContent' in (await client.callTool({ name, arguments: ARGUMENTS }))).toBe(name !== 'get_secret')
    }
    expect(await client.callTool({ name: 'nope' })).toMatchObject({ isError: true })
    expect(backend.calls.at(-1)?.says).toBe('sdk-two 2')
  })

  it('reads and completes resources', async () => {
    const { client } = await connectedModern(mode)
    expect(await client.listResources()).toHaveProperty('resources.length')
    expect(await client.listResourceTemplates()).toHaveProperty('resourceTemplates.length', 3)
    expect(await client.readResource({ uri: 'countersign://secrets/a' })).toHaveProperty('contents.length', 1)
    await expect(client.readResource({ uri: 'countersign://secrets/b' })).rejects.toThrow('Resource not found')
    const ref = { type: 'ref/resource' as const, uri: 'countersign://secrets/{name}' }
    expect(await client.complete({ ref, argument: { name: 'name', value: '' } })).toMatchObject({ completion: { values: ['a'] } })
  })
})

describe.each<Mode>(['auto', { pin: MODERN }])('the client of the second SDK in the new era, negotiating %j', (mode) => {
  it('listens, hears of changes, and notices the end', async () => {
    const { client, wire } = await connectedModern(mode)
    const changed = new Promise<unknown>((resolve) => client.setNotificationHandler('notifications/resources/list_changed', resolve))
    const subscription = await client.listen({ resourcesListChanged: true })
    wire.server.namesChanged()
    expect(await changed).toMatchObject({ method: 'notifications/resources/list_changed' })
    await wire.server.close()
    expect(['remote', 'graceful']).toContain(await subscription.closed)
  })
})
