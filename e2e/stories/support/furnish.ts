// A desk as it might look after some weeks: made through the real host, with nothing in it that is anybody's.

import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { answering } from '../../support/answering.ts'
import type { Policy } from '../../../src-shared/policy.ts'
import type { AiClient } from './ai-client.ts'
import type { Desk } from './desk.ts'

const DAY = 86_400_000
const fillAudit = path.join(import.meta.dirname, '..', '..', '..', 'scripts', 'fill-audit.ts')

/** Fills the log of a host that does not run yet with so many calls over so many days. */
export async function fillLog(home: string, rows: number, days: number, seed = Date.now()): Promise<void> {
  const env = { ...process.env, COUNTERSIGN_HOME: home }
  await promisify(execFile)(process.execPath, [fillAudit, String(rows), String(days), String(seed)], { env })
}

const WORK = {
  name: 'work',
  description: 'Day-to-day development',
  allow: ['dev/*', 'staging/*'],
  deny: ['*-signing-key'],
  reads: 'first',
} satisfies Policy
const POLICIES: Policy[] = [
  WORK,
  { name: 'ci', description: 'Pipelines and release jobs', allow: ['prod/{npm,sentry,github}-*'], deny: [], reads: 'ask' },
  { name: 'automation', description: 'Jobs that run while nobody looks', allow: ['*'], deny: ['prod/*-signing-key'], reads: 'always' },
  { name: 'names-only', description: 'May see what there is, never a value', allow: ['*'], deny: ['prod/*'], reads: 'never' },
]

/** Names that also turn up in the log which scripts/fill-audit.ts makes. */
const SECRETS: [name: string, tags: string[], expiresInDays?: number][] = [
  ['dev/github-token', ['git'], 12],
  ['dev/openai-api-key', ['ai']],
  ['dev/postgres-url', ['database']],
  ['dev/slack-webhook', []],
  ['dev/stripe-api-key', ['payments']],
  ['prod/aws-client-id', ['infrastructure'], 200],
  ['prod/cloudflare-api-key', ['infrastructure', 'dns']],
  ['prod/github-signing-key', ['git', 'release']],
  ['prod/npm-token', ['release'], 80],
  ['prod/postgres-password', ['database']],
  ['prod/sentry-token', ['release']],
  ['prod/stripe-webhook', ['payments'], -3],
  ['staging/aws-token', ['infrastructure']],
  ['staging/postgres-url', ['database']],
]

export interface Furnished {
  cursor: AiClient
  claude: AiClient
}

export async function furnish(desk: Desk): Promise<Furnished> {
  for (const policy of POLICIES) await desk.ask('policies.save', policy)
  for (const [name, tags, days] of SECRETS)
    await desk.ask('secrets.store', { name, value: `demo ${name}`, tags, expires: days === undefined ? null : Date.now() + days * DAY })
  const cursor = await desk.client('cursor', 'Cursor', WORK)
  const claude = await desk.client('claude-desktop', 'Claude Desktop', undefined, 'claude-ai')
  await desk.ask('clients.register', { id: 'vscode', name: 'VS Code', policy: 'names-only' })

  const read = (client: AiClient, name: string) => client.call('get_secret', { name })
  await settled(desk, read(cursor, 'dev/github-token'), 'allow', 'once')
  await settled(desk, read(cursor, 'dev/github-token'), 'allow', '15m')
  await settled(desk, read(cursor, 'dev/openai-api-key'), 'allow', 'always')
  await settled(desk, read(claude, 'dev/postgres-url'), 'allow', 'once')
  await settled(desk, claude.call('remove_secret', { name: 'dev/stripe-api-key' }), 'deny', 'once')
  await settled(desk, cursor.call('store_secret', { name: 'dev/github-token', value: 'demo 2', force: true }), 'allow', 'once')
  const codex = await desk.client('codex', 'Codex', { name: 'automation' })
  for (const [name] of SECRETS.slice(0, -3)) await read(codex, name)
  await codex.close()
  await read(cursor, 'dev/github-token')
  await read(cursor, 'prod/postgres-password')
  await cursor.call('list_secrets')
  await claude.call('test_policy', { scope: 'work', secret_name: 'staging/aws-token' })
  return { cursor, claude }
}

/** Answers what the call asks, without the clicks. */
async function settled(desk: Desk, call: Promise<string>, answer: 'allow' | 'deny', remember: 'once' | '15m' | 'always'): Promise<void> {
  for (let open = await desk.open(); ; open = await desk.open()) {
    const [approval] = open
    if (approval === undefined) continue
    await answering(desk.ask).answer(approval, answer, remember)
    break
  }
  await call
}
