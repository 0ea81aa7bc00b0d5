// Tokens for programs that come over HTTP. Seeing which there are asks nobody; making, changing and revoking one asks a person,
// so that an agent with a shell cannot give itself a way in.

import { callTool } from './host.ts'
import type { TokenEnd } from '../../src-shared/rpc.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'

export type TokensCommand =
  | { is: 'clients token list' }
  | { is: 'clients token add'; client: string; title: string | null; policy: string; days: number | null }
  /** Without days, as many as before. */
  | { is: 'clients token rotate'; client: string; days: number | null | undefined }
  | { is: 'clients token revoke'; client: string }

/** As the tool tells it. */
interface TokenRow {
  client: string
  name: string
  policy: string
  created: number
  lastSeen: number | null
  paused: boolean
  end: TokenEnd | null
}

export function runTokens(io: Io, command: TokensCommand): Promise<Output> {
  switch (command.is) {
    case 'clients token list':
      return listTokens(io)
    case 'clients token add': {
      const { client, title, policy, days } = command
      return makeToken(io, 'add_token', { client, policy, days, ...(title === null ? {} : { title }) })
    }
    case 'clients token rotate': {
      const { client, days } = command
      return makeToken(io, 'rotate_token', { client, ...(days === undefined ? {} : { days }) })
    }
    case 'clients token revoke':
      return revokeToken(io, command.client)
  }
}

async function listTokens(io: Io): Promise<Output> {
  const { structured } = await callTool(io, 'list_tokens', {})
  const tokens = structured['tokens'] as TokenRow[] // As the host's own tool answers.
  const rows = tokens.map(({ client, name, policy, created, lastSeen, paused, end }) => [
    client,
    name,
    policy,
    day(created),
    lastSeen === null ? '' : day(lastSeen),
    end === null ? '' : `${end.over ? 'ended ' : ''}${day(end.at)}`,
    paused ? 'paused' : '',
  ])
  return { json: tokens, head: ['client', 'name', 'policy', 'made', 'last used', 'ends', ''], rows }
}

const day = (wall: number): string => new Date(wall).toISOString().slice(0, 10)

/** The token alone on stdout, so that it can be piped into where it belongs. */
async function makeToken(io: Io, tool: 'add_token' | 'rotate_token', args: Record<string, unknown>): Promise<Output> {
  const { text, structured } = await callTool(io, tool, args)
  const before = tool === 'rotate_token' ? ' The token before it works until this one has been used.' : ''
  const end = structured['end'] as TokenEnd | null // As the host's own tool answers.
  const until = end === null ? '' : ` It ends on ${day(end.at)}.`
  return { json: structured, lines: [text], note: `This token is shown now and never again.${until}${before}` }
}

async function revokeToken(io: Io, client: string): Promise<Output> {
  const { text, structured } = await callTool(io, 'revoke_token', { client })
  return { json: structured, lines: [text] }
}
