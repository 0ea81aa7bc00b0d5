// One target under fire: first everything that is known, then rounds of inputs made from it. What drew a reaction that was not seen
// before joins those the next round is made from.

import fc from 'fast-check'
import type { AtEnd } from '../support/host.ts'
import { corpusOf, keep } from './corpus.ts'
import { inputs } from './mutate.ts'
import { watchReach, type Reach } from './reach.ts'
import { inTime, type Opened, type Target } from './target.ts'

export interface Campaign {
  target: string
  seed: number
  inputs: number
  /** Different reactions. */
  reactions: number
  /** Pieces of our code that were reached, where that can be seen. */
  reached: number | null
  /** What broke, with the file that shows it. */
  broken: { error: string; file: string }[]
  /** The longest that one input took. */
  slowestMs: number
}

export interface CampaignOptions {
  seed: number
  /** In rounds after what is known. */
  until: { runs: number } | { time: number }
  atEnd: AtEnd
}

const ROUND = 200
/** A campaign that finds more than this has shown enough. */
const MOST_BROKEN = 5
const MOST_POOL = 2000
/** Looking at what was reached costs more than reaching it. */
const HANDFUL = 20
const LOOK_EVERY = 5

export async function fuzz(target: Target, { seed, until, atEnd }: CampaignOptions): Promise<Campaign> {
  const result: Campaign = { target: target.name, seed, inputs: 0, reactions: 0, reached: null, broken: [], slowestMs: 0 }
  const opened = await target.open(atEnd)
  const known = corpusOf(target.name).map(({ input }) => input)
  const pool = [...known]
  const seen = new Set<string>()
  const reach = target.inside && 'time' in until ? watchReach() : null
  const over = () => ('runs' in until ? result.inputs >= known.length + until.runs : performance.now() > until.time)

  reach?.start()
  for (const input of known) {
    seen.add(await react(target, opened, input, result).catch((error: unknown) => broke(error, input)))
  }
  reach?.take()
  reach?.stop()
  for (let round = 0; !over() && result.broken.length < MOST_BROKEN; round++) {
    const numRuns = 'runs' in until ? Math.min(ROUND, until.runs) : ROUND
    const tried: Buffer[] = []
    const looking = round % LOOK_EVERY === 0 ? reach : null
    looking?.start()
    const outcome = await fc.check(
      fc.asyncProperty(inputs(pool, target.words), async (input) => {
        tried.push(input)
        const reaction = await react(target, opened, input, result)
        if (!seen.has(reaction)) join(reaction, input)
      }),
      { seed: seed + round, numRuns, endOnFailure: false, ...('time' in until ? { interruptAfterTimeLimit: 60_000 } : {}) },
    )
    if (outcome.failed && outcome.counterexample !== null) {
      const [input] = outcome.counterexample
      broke(outcome.errorInstance, input)
    } else if (looking !== null) await sift(looking, tried)
    looking?.stop()
  }
  await opened.inspect?.()
  return { ...result, reactions: seen.size, reached: reach?.size() ?? null }

  function join(reaction: string, input: Buffer): void {
    seen.add(reaction)
    if (pool.length < MOST_POOL) pool.push(input)
  }

  /** A round that reached something new is gone through once more, to find the inputs that did. */
  async function sift(reach: Reach, tried: readonly Buffer[]): Promise<void> {
    if (!reach.take({ keep: false })) return
    for (let from = 0; from < tried.length; from += HANDFUL) {
      const handful = tried.slice(from, from + HANDFUL)
      for (const input of handful) await opened.take(input)
      if (!reach.take({ keep: false })) continue
      for (const input of handful) {
        await opened.take(input)
        if (reach.take() && pool.length < MOST_POOL) pool.push(input)
      }
    }
  }

  function broke(error: unknown, input: Buffer): string {
    const told = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    result.broken.push({ error: told, file: keep(target.name, input) })
    return told
  }
}

async function react(target: Target, opened: Opened, input: Buffer, result: Campaign): Promise<string> {
  const began = performance.now()
  result.inputs++
  const reaction = await inTime(`an answer of ${target.name}`, Promise.resolve(opened.take(input)), 30_000)
  result.slowestMs = Math.max(result.slowestMs, performance.now() - began)
  return reaction
}
