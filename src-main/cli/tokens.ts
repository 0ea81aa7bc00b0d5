// Tokens for programs that come over HTTP. Seeing which there are asks nobody; making, changing and revoking one asks a person,
// so that an agent with a shell cannot give itself a way in.

import { callTool } from './host.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'

export type TokensCommand =
  | { is: 'clients token list' }
  | { is: 'clients token add'; client: string; title: string | null; policy: string }
  | { is: 'clients token rotate' | 'clients token revoke'; client: string }

/** As the tool tells it. */
interface TokenRow {
  client: string
  name: string
  policy: string
  created: number
  lastSeen: number | null
  paused: boolean
}

export function runTokens(io: Io, command: TokensCommand): Promise<Output> {
  switch (command.is) {
    case 'clients token list':
      return listTokens(io)
    case 'clients token add': {
      const { client, title, policy } = command
      return makeToken(io, 'add_token', { client, policy, ...(title === null ? {} : { title }) })
    }
    case 'clients token rotate':
      return makeToken(io, 'rotate_token', { client: command.client })
    case 'clients token revoke':
      return revokeToken(io, command.client)
  }
}

async function listTokens(io: Io): Promise<Output> {
  const { structured } = await callTool(io, 'list_tokens', {})
  const tokens = structured['tokens'] as TokenRow[] // As the host's own tool answers.
  const rows = tokens.map(({ client, name, policy, created, lastSeen, paused }) => [
    client,
    name,
    policy,
    day(created),
    lastSeen === null ? '' : day(lastSeen),
    paused ? 'paused' : '',
  ])
  return { json: tokens, head: ['client', 'name', 'policy', 'made', 'last used', ''], rows }
}

const day = (wall: number): string => new Date(wall).toISOString().slice(0, 10)

/** The token alone on stdout, so that it can be piped into where it belongs. */
async function makeToken(io: Io, tool: 'add_token' | 'rotate_token', args: Record<string, unknown>): Promise<Output> {
  const { text, structured } = await callTool(io, tool, args)
  const before = tool === 'rotate_token' ? ' The token before it works until this one has been used.' : ''
  return { json: structured, lines: [text], note: `This token is shown now and never again.${before}` }
}

async function revokeToken(io: Io, client: string): Promise<Output> {
  const { text, structured } = await callTool(io, 'revoke_token', { client })
  return { json: structured, lines: [text] }
}
