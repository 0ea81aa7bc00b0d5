// One life of a host, from its first call to its death: bridges call, the person answers and edits, and somebody is killed.

import { setTimeout as wait } from 'node:timers/promises'
import type { ApprovalView } from '../../src-shared/approval.ts'
import type { Person, RunningHost } from '../support/host.ts'
import { textOf } from '../support/bridge.ts'
import { modernMeta } from '../support/revisions.ts'
import { isAcknowledged, LOST } from './calls.ts'
import { REGISTERED } from './config.ts'
import { LABEL_END } from './ledger.ts'
import { attitudeTo, SEATS, type CallStep, type Edit, type Kill, type LifePlan } from './plan.ts'
import { edited, type Sent } from './witness.ts'
import { helperOf, type World } from './world.ts'

/** How long the bridges may take to notice. */
const NOTICE_MS = 300

export interface Died {
  /** Who was killed, in order. */
  killed: Kill['victim'][]
  /** The host got to where it was to die, before its time was up. */
  asPlanned: boolean
  /** The host ended otherwise, or something that should have worked did not. */
  trouble: string[]
}

export async function live(world: World, host: RunningHost, person: Person, plan: LifePlan, seed: number): Promise<Died> {
  const killed: Kill['victim'][] = []
  const trouble: string[] = []
  const gone = new AbortController()
  const died = new Promise<void>((resolve) => {
    const end = () => {
      gone.abort()
      resolve()
    }
    if (host.process.exitCode !== null || host.process.signalCode !== null) end()
    else host.process.once('exit', end)
  })
  let writes = 0
  /** A bridge may know before we do. */
  let lost = false

  const call = async (seat: number, step: CallStep): Promise<void> => {
    const bridge = world.bridges[seat]
    if (bridge === undefined) return
    const sent: Sent = { ...step, client: SEATS[seat] ?? null, answer: null }
    world.witness.calls.set(step.label, sent)
    const args = argumentsOf(step)
    const meta = { ...modernMeta(), 'io.modelcontextprotocol/clientInfo': { name: step.label, version: LABEL_END.trim() } }
    const message = await bridge.request('tools/call', { name: step.tool, arguments: args, _meta: meta }).catch(() => null)
    if (message === null) return
    // Errors are texts like any other; the sentence is what counts.
    sent.answer = textOf(message).replace(/^Error: /, '')
    // One that is revoked loses its host while everybody else keeps it.
    if (LOST.includes(sent.answer) && sent.client !== 'gamma') lost = true
    if (isAcknowledged(sent)) writes++
    for (const kill of plan.kills) if (kill.victim === 'host' && kill.at === 'told' && kill.writes === writes) end()
    trouble.push(...oddAnswer(sent))
  }
  const end = () => host.process.kill('SIGKILL')

  const speak = async (seat: number): Promise<void> => {
    const under: Promise<void>[] = []
    for (const step of plan.scripts[seat] ?? []) {
      if (lost || gone.signal.aborted) break
      const made = call(seat, step)
      under.push(made)
      if (!step.hurried) await made
    }
    await Promise.all(under)
  }

  const edit = async (): Promise<void> => {
    for (const one of plan.edits) {
      if (gone.signal.aborted) return
      world.witness.doubt = one
      try {
        await make(world, person, one)
        world.witness.config = edited(world.witness.config, one)
      } catch (error) {
        if (isLost(error)) return
        // Refused, so it is as it was: a policy that still binds somebody, a name that is not there. A file edit may be half done.
        if (one.is === 'registration' || one.is === 'no registration') world.witness.config.registered = 'doubt'
      }
      world.witness.doubt = null
    }
  }

  const kill = async (one: Kill): Promise<void> => {
    if (one.victim === 'host' && (one.at === 'point' || one.at === 'told')) return
    await wait(one.ms, undefined, { signal: gone.signal }).catch(() => undefined)
    if (gone.signal.aborted) return
    switch (one.victim) {
      case 'host':
        end()
        return
      case 'bridge':
        replaceBridge(one.seat)
        return
      case 'helper': {
        const pid = helperOf(host.process)
        if (pid === null) return
        process.kill(pid, 'SIGKILL')
        killed.push('helper')
      }
    }
  }
  const replaceBridge = (seat: number): void => {
    world.bridges[seat]?.process.kill('SIGKILL')
    killed.push('bridge')
    world.seat(seat)
  }

  const answering = decide(world, person, seed)
  const work = SEATS.map((_, seat) => speak(seat))
  const editing = edit()
  const killing = plan.kills.map(kill)
  await Promise.race([
    died,
    wait(plan.limitMs, undefined, { signal: gone.signal }).catch(() => undefined),
    Promise.all([...work, editing, ...killing]),
  ])
  const asPlanned = lost || host.process.killed || gone.signal.aborted
  if (!gone.signal.aborted) end()
  await died
  if (host.process.signalCode !== 'SIGKILL') trouble.push(`the host left with ${host.process.exitCode}: ${host.stderr()}`)
  if (host.stderr() !== '') trouble.push(`the host complained: ${host.stderr()}`)
  killed.push('host')

  // A call that was on its way would reach the next host; a bridge that still has one goes, too.
  const settled = work.map((one) => one.then(() => true))
  const late = await Promise.all(settled.map((one) => Promise.race([one, wait(NOTICE_MS, false)])))
  for (const [seat, done] of late.entries()) if (!done) replaceBridge(seat)
  await Promise.all([...work, editing, answering, ...killing])
  return { killed, asPlanned, trouble }
}

function argumentsOf({ tool, secret, value, force }: CallStep): Record<string, unknown> {
  switch (tool) {
    case 'list_secrets':
      return {}
    case 'test_policy':
      return { scope: 'open', secret_name: secret }
    case 'store_secret':
      return { name: secret, value, force }
    case 'get_secret':
    case 'remove_secret':
      return { name: secret }
  }
}

/** Answers that a killed program never explains. */
function oddAnswer({ label, client, answer }: Sent): string[] {
  const text = answer ?? ''
  const refused = /missing or revoked|refused the connection|found its database damaged|not set up yet|internal error/i.test(text)
  // Only this one is ever revoked.
  return refused && client !== 'gamma' ? [`I8: call ${label} of ${client ?? 'nobody'} was answered '${text}'`] : []
}

async function make(world: World, person: Person, edit: Edit): Promise<void> {
  const { witness } = world
  switch (edit.is) {
    case 'policy':
      await person.ask('policies.save', { name: edit.name, description: edit.description, allow: ['*'], deny: edit.deny, reads: 'always' })
      return
    case 'no policy':
      await person.ask('policies.remove', { name: edit.name })
      return
    case 'client':
      await person.ask('clients.register', { id: edit.id, name: edit.id, policy: 'open' })
      return
    case 'no client':
      await person.ask('clients.revoke', { id: edit.id })
      return
    case 'rotate':
      await person.ask('clients.rotate', { id: edit.id })
      return
    case 'settings':
      await person.ask('settings.set', { waitSeconds: edit.waitSeconds })
      return
    case 'store': {
      const { version } = await person.ask('secrets.store', { name: edit.secret, value: edit.value, force: true })
      witness.own.set(`${edit.secret}\n${version}`, edit.value)
      return
    }
    case 'remove': {
      const { removed } = await person.ask('secrets.remove', { name: edit.secret })
      if (removed) witness.ownRemovals.set(edit.secret, (witness.ownRemovals.get(edit.secret) ?? 0) + 1)
      return
    }
    case 'registration':
      await person.ask('registrations.add', { client: REGISTERED, policy: 'open' })
      return
    case 'no registration':
      await person.ask('registrations.remove', { client: REGISTERED })
  }
}

const isLost = (error: unknown): boolean => error instanceof Error && error.message === 'the page lost its host'

/** Answers whatever comes up until the host is gone. */
async function decide(world: World, person: Person, seed: number): Promise<void> {
  const seen = new Set<string>()
  /** Each request is read while others come up. */
  const answers: Promise<void>[] = []
  try {
    for (;;) {
      const change = person.nextEvent()
      const { open } = await person.ask('approvals.list')
      for (const approval of open.filter(({ id }) => !seen.has(id))) {
        seen.add(approval.id)
        const label = (approval.says ?? '').slice(0, -LABEL_END.length)
        const attitude = attitudeTo(seed, label)
        if (attitude === 'ignore') continue
        const both = attitude === 'both at once' ? (['allow', 'deny'] as const) : ([attitude] as const)
        answers.push(
          answerAll(both, approval).catch((error: unknown) => {
            if (!isLost(error)) throw error
          }),
        )
      }
      await change
    }
  } catch (error) {
    if (!isLost(error)) throw error
  }
  await Promise.all(answers)

  async function answerAll(both: readonly ('allow' | 'deny')[], approval: ApprovalView): Promise<void> {
    const label = (approval.says ?? '').slice(0, -LABEL_END.length)
    // Both at once, once an allow counts at all.
    if (both.length > 1) await person.read(approval)
    await Promise.all(
      both.map(async (answer) => {
        if (!(await person.answer(approval, answer))) return
        const key = `${JSON.stringify(approval.id)} ${label}`
        world.witness.decisions.set(key, [...(world.witness.decisions.get(key) ?? []), answer])
      }),
    )
  }
}
