// What the log must say about each call, given what its client was told (I2, I4 to I7).

import { PERSON } from '../../src-shared/client.ts'
import { NOT_RUNNING, texts } from '../../src-shared/texts.ts'
import { REPEAT_READ } from '../../src-main/bridge/sentences.ts'
import { isApplied, type Ledger, type Story } from './ledger.ts'
import type { Sent, Witness } from './witness.ts'

/** The host was lost in the middle of it: nobody promised anything. */
export const LOST: readonly string[] = [texts.interrupted, REPEAT_READ]
/** It never reached a host. */
const NOT_SENT: readonly string[] = [NOT_RUNNING, 'Countersign does not answer; restart it, then repeat the call.']
/** Nor did what a revoked client asked; this one is revoked now and then. */
const REVOKED = /^The registration 'gamma' is missing or revoked|^Countersign ended this connection; repeat the call.$/

export function aboutCalls({ stories, byLabel }: Ledger, witness: Witness): string[] {
  const found: string[] = []
  for (const story of stories.values()) found.push(...aboutStory(story))
  for (const call of witness.calls.values()) found.push(...aboutSent(call, byLabel.get(call.label) ?? []))
  for (const [approval, answers] of witness.decisions) {
    if (answers.length > 1) found.push(`I5: approval ${approval} took ${answers.length} answers`)
  }
  for (const story of stories.values()) found.push(...aboutDecisions(story, witness))
  return [...found, ...aboutOwn([...stories.values()], witness)]
}

/** What the person did at the page and was told is done. */
function aboutOwn(stories: readonly Story[], { own, ownRemovals }: Witness): string[] {
  const applied = stories.filter((story) => story.client === PERSON && isApplied(story)).flatMap(({ outcomes }) => outcomes)
  const stored = new Set(
    applied.filter(({ tool }) => tool === 'store_secret').map((entry) => `${entry.secret}\n${JSON.stringify(entry.detail['version'])}`),
  )
  const found = [...own.keys()]
    .filter((key) => !stored.has(key))
    .map((key) => `I2: '${key}' was acknowledged to the person and is not applied`)
  for (const [name, times] of ownRemovals) {
    const removed = applied.filter(({ tool, secret }) => tool === 'remove_secret' && secret === name).length
    if (removed < times) found.push(`I2: '${name}' was removed ${times} times, the log knows ${removed}`)
  }
  return found
}

function aboutStory(story: Story): string[] {
  const { id, intents, outcomes } = story
  const found: string[] = []
  const [intent] = intents
  const [outcome] = outcomes
  if (intents.length > 1) found.push(`I4: call ${id} has ${intents.length} intents`)
  if (outcomes.length > 1) found.push(`I4: call ${id} has ${outcomes.length} outcomes`)
  if (intent !== undefined && outcome === undefined) found.push(`I7: call ${id} has an open intent`)
  if (intent !== undefined && outcome !== undefined && intent.seq > outcome.seq)
    found.push(`I6: call ${id} has its intent after its outcome`)
  const isWrite = outcome?.tool === 'store_secret' || outcome?.tool === 'remove_secret'
  const changed = outcome?.outcome === 'allowed' && outcome.detail['reason'] === undefined && outcome.detail['joined'] !== true
  if (isWrite && changed && intent === undefined) found.push(`I6: call ${id} wrote without an intent`)
  return found
}

/** One approval, one end; and what was applied because a person said so was said before. */
function aboutDecisions(story: Story, witness: Witness): string[] {
  const found: string[] = []
  for (const { detail } of story.opened) {
    const approval = JSON.stringify(detail['approval'])
    const ends = story.ended.filter((entry) => entry.detail['approval'] === detail['approval']).map((entry) => entry.detail['end'])
    if (ends.length !== 1) found.push(`I5: approval ${approval} of call ${story.id} ended ${ends.length} times: ${JSON.stringify(ends)}`)
    const told = witness.decisions.get(`${approval} ${story.label}`)?.[0]
    if (told !== undefined && ends[0] !== (told === 'allow' ? 'allowed' : 'denied'))
      found.push(`I5: approval ${approval} took '${told}', the log says ${JSON.stringify(ends[0])}`)
  }
  return found
}

/** Its client was told that the write is done. */
export function isAcknowledged({ secret, answer }: Sent): boolean {
  return secret !== null && (answer === texts.stored(secret) || answer === texts.removed(secret))
}

function aboutSent(call: Sent, stories: readonly Story[]): string[] {
  const name = `call ${call.label} (${call.tool} ${call.secret})`
  if (stories.length > 1) return [`I4: ${name} was made ${stories.length} times`]
  const [story] = stories
  const { answer } = call
  if (answer === null || LOST.includes(answer)) return []
  if (NOT_SENT.includes(answer) || REVOKED.test(answer)) {
    return story === undefined || !isApplied(story) ? [] : [`I6: ${name} was answered '${answer}' and applied`]
  }
  const outcome = story?.outcomes[0]
  if (story === undefined || outcome === undefined) return [`I6: ${name} was answered '${short(answer)}' and has no outcome`]
  // A client that was answered had its outcome on disk before; only a call that was cut short can have been recovered.
  if (outcome.outcome === 'recovered') return [`I6: ${name} was answered before its outcome was on disk`]
  const acknowledged = isAcknowledged(call)
  const joined = outcome.detail['joined'] === true && outcome.outcome === 'allowed'
  if (acknowledged && !joined && !isApplied(story)) return [`I2: ${name} was acknowledged and is not applied`]
  if (!acknowledged && isApplied(story)) return [`I2: ${name} was answered '${short(answer)}' and is applied`]
  return []
}

/** Values are the machine's own, but what is printed need not be long. */
const short = (text: string): string => text.slice(0, 80)
