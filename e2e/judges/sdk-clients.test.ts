// The official SDK's clients, which check every message they get against their own schemas.

import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, onTestFinished, test } from 'vitest'
import { hear, heard, openCourt } from './support.ts'

test("the first SDK's client connects, lists five tools and calls each", async () => {
  const { launch, person } = await openCourt('sdk-one')
  const client = new Client({ name: 'sdk-one', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(new StdioClientTransport(launch))
  await hear(
    {
      listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => heard(await client.callTool({ name, arguments: args })),
    },
    person,
  )
  expect(client.getServerVersion()).toMatchObject({ name: 'countersign' })
})

const modes = [
  { name: 'auto', mode: 'auto', speaks: '2026-07-28' },
  { name: 'legacy', mode: 'legacy', speaks: '2025-11-25' },
  { name: 'pinned', mode: { pin: '2026-07-28' }, speaks: '2026-07-28' },
] as const

test.each(modes)(
  "the second SDK's client, negotiating $name, connects, lists five tools and calls each",
  async ({ name, mode, speaks }) => {
    const { launch, person } = await openCourt(`sdk-two-${name}`)
    const client = new ModernClient({ name: 'sdk-two', version: '2' }, { versionNegotiation: { mode } })
    onTestFinished(() => client.close())
    await client.connect(new ModernTransport(launch))
    expect(client.getNegotiatedProtocolVersion()).toBe(speaks)
    await hear(
      {
        listTools: async () => (await client.listTools()).tools.map(({ name: tool }) => tool),
        call: async (tool, args) => heard({ ...(await client.callTool({ name: tool, arguments: args })) }),
      },
      person,
    )
  },
)
