// Calls that never were, as they might have been: a few clients, some hundred secrets, quiet nights, now and then a burst of denials.

import type { Entry, Outcome } from '../src-shared/audit.ts'
import { ruleText, type Rule } from '../src-shared/decide.ts'
import type { Audit } from '../src-main/host/audit/audit.ts'
import type { Clock } from '../src-main/host/ports.ts'

/** A clock that the filling moves; nothing in the log waits for it. */
export function movableClock(start: number): Clock & { move: (ms: number) => void } {
  let passed = 0
  return {
    now: () => start + passed,
    mono: () => passed,
    after: (ms, run) => {
      const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1))
      return () => clearTimeout(timer)
    },
    move: (ms) => {
      passed += ms
    },
  }
}

const CLIENTS = ['claude-desktop', 'cursor', 'vscode', 'zed', 'codex', 'cli']
const PEERS = CLIENTS.map((client) => `systemd › gnome-shell › ${client} › node`)
const SERVICES = ['github', 'stripe', 'aws', 'postgres', 'openai', 'slack', 'sentry', 'npm', 'vercel', 'cloudflare']
const PLACES = ['dev', 'staging', 'prod']
const PARTS = ['token', 'api-key', 'url', 'password', 'webhook', 'signing-key', 'client-id']
const TOOLS = ['get_secret', 'get_secret', 'get_secret', 'get_secret', 'get_secret', 'list_secrets', 'test_policy', 'store_secret'] as const

/** Always the same sequence for the same seed. */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

interface FillOptions {
  audit: Audit
  clock: ReturnType<typeof movableClock>
  rows: number
  /** Over how long they are spread. */
  spanMs: number
  seed?: number
  onProgress?: (rows: number) => void
}

const BATCH = 2_000

/** Appends so many calls; the clock has moved by about `spanMs` when they are on disk. */
export async function fill({ audit, clock, rows, spanMs, seed = 1, onProgress }: FillOptions): Promise<void> {
  const next = random(seed)
  const step = spanMs / rows
  for (let done = 0; done < rows; done += BATCH) {
    const batch: Promise<number>[] = []
    for (let n = done; n < Math.min(rows, done + BATCH); n++) {
      // Never further than the next step, so that they end where they should.
      const due = step * (n + next())
      clock.move(Math.max(0, due - clock.mono()))
      for (const entry of entriesOf(n, next)) batch.push(audit.append(entry))
    }
    await Promise.all(batch)
    onProgress?.(Math.min(rows, done + BATCH))
  }
}

function entriesOf(n: number, next: () => number): Entry[] {
  const pick = <T>(list: readonly T[], skew = 1): T => list[Math.floor(next() ** skew * list.length)] as T
  const tool = pick(TOOLS)
  const who = Math.floor(next() ** 1.6 * CLIENTS.length)
  const outcome = outcomeOf(tool, next())
  const byPerson = tool === 'store_secret' || (tool === 'get_secret' && next() < 0.05)
  const isOutside = outcome === 'denied' && !byPerson
  const decidedMs = byPerson ? Math.round(2_000 + next() * 20_000) : 1
  const keychainMs = Math.round(2 + next() ** 4 * 60)
  const isEffective = outcome === 'allowed' || outcome === 'failed'
  const entry: Entry = {
    kind: 'outcome',
    event: 'call',
    call: `00000000${n.toString(16).padStart(16, '0')}`,
    client: CLIENTS[who] ?? null,
    peer: PEERS[who] ?? null,
    standing: 'verified',
    tool,
    secret: tool === 'list_secrets' ? null : `${pick(PLACES)}/${pick(SERVICES, 1.5)}-${pick(PARTS, 1.3)}`,
    outcome,
    rule: ruleText(ruleOf(tool, isOutside)),
    approver: byPerson ? 'person' : isOutside ? 'policy' : 'grant',
    fingerprint: null,
    detail: {
      decidedMs,
      ...(isEffective ? { keychainMs } : {}),
      ms: decidedMs + (isEffective ? keychainMs : 0) + 1,
      ...(isOutside ? { reason: 'outside' } : {}),
    },
  }
  const isWrite = tool === 'store_secret' && outcome === 'allowed'
  return isWrite ? [{ ...entry, kind: 'intent', outcome: null }, entry] : [entry]
}

function ruleOf(tool: string, isOutside: boolean): Rule {
  const policy = 'default'
  if (isOutside) return { policy, by: 'nothing', with: null }
  return tool === 'store_secret' ? { policy, by: 'writes', with: null } : { policy, by: 'reads', with: 'first' }
}

function outcomeOf(tool: string, chance: number): Outcome {
  if (tool === 'list_secrets' || tool === 'test_policy') return chance < 0.002 ? 'rejected' : 'allowed'
  if (chance < 0.9) return 'allowed'
  if (chance < 0.965) return 'denied'
  if (chance < 0.978) return 'waiting'
  if (chance < 0.985) return 'expired'
  if (chance < 0.99) return 'cancelled'
  if (chance < 0.994) return 'rejected'
  if (chance < 0.997) return 'failed'
  return chance < 0.999 ? 'limited' : 'timeout'
}
