// Kills, restarts and checks until it has killed often enough. A run is a row of worlds, each with a seed of its own: the world that
// went wrong can be had again without those before it.

import type { ChildProcess } from 'node:child_process'
import { messageOf } from '../../src-main/host/errors.ts'
import type { Person, RunningHost } from '../support/host.ts'
import { live } from './life.ts'
import { describeKill, LIFE_MS, planLife, type Kill, type LifePlan } from './plan.ts'
import { chance } from './random.ts'
import { createWorld, type World, type WorldOptions } from './world.ts'

export interface RunOptions extends WorldOptions {
  kills: number
  seed: number
  /** Ends the run with the first violation, as there is no point in going on from a broken state. */
  stopAtFirst?: boolean
  /** Ends the run at the next restart, however many kills are left. */
  until?: AbortSignal
  tell?: (line: string) => void
}

export interface RunResult {
  seed: number
  kills: Record<Kill['victim'], number>
  /** Kills of the host by what it was doing. */
  deaths: Record<string, number>
  restarts: number
  calls: number
  answered: number
  violations: string[]
  ms: number
}

/** After so many kills a world is left for a new one: its log has grown long enough to be slow to check. */
const KILLS_PER_WORLD = 100

export async function run(options: RunOptions): Promise<RunResult> {
  const began = performance.now()
  const result: RunResult = {
    seed: options.seed,
    kills: { host: 0, bridge: 0, helper: 0 },
    deaths: {},
    restarts: 0,
    calls: 0,
    answered: 0,
    violations: [],
    ms: 0,
  }
  const isOver = () =>
    total(result) >= options.kills || (options.stopAtFirst === true && result.violations.length > 0) || options.until?.aborted === true
  for (let seed = options.seed; !isOver(); seed++) {
    const world = await createWorld(options)
    try {
      await inhabit(world, seed, options, result)
      options.tell?.(`${total(result)} kills`)
    } finally {
      await world.close()
    }
  }
  return { ...result, ms: Math.round(performance.now() - began) }
}

export const total = ({ kills }: RunResult): number => kills.host + kills.bridge + kills.helper

async function inhabit(world: World, seed: number, options: RunOptions, result: RunResult): Promise<void> {
  const until = Math.min(options.kills, total(result) + KILLS_PER_WORLD)
  const count = (victim: Kill['victim'], how?: string): void => {
    result.kills[victim]++
    if (how !== undefined) result.deaths[how] = (result.deaths[how] ?? 0) + 1
  }
  const violate = (life: number, sentences: readonly string[]): boolean => {
    for (const sentence of sentences) {
      const line = `seed ${seed}, life ${life}, ${options.store}${options.powerLoss ? ' with power loss' : ''}: ${sentence}`
      result.violations.push(line)
      options.tell?.(line)
    }
    return sentences.length > 0
  }
  const cutPower = (life: number) => world.disk?.cutPower(chance(seed, life, 'torn?').oneIn(2) ? chance(seed, life, 'torn') : null)

  for (let life = 0; ; life++) {
    let plan = planLife(seed, life, { helper: options.store === 'keychain' })
    const enough = total(result) >= until || options.until?.aborted === true
    let up = enough ? null : await bringUp(world, plan)
    if (up === null || up.is === 'killed') {
      if (up !== null) {
        count('host', up.how)
        cutPower(life)
        plan = { ...plan, limitMs: LIFE_MS }
      }
      up = await bringUp(world, null)
    }
    result.restarts++
    if (up.is === 'killed') throw new Error('A host that nobody kills was killed.')
    if (up.is === 'shut') {
      violate(life, [`nobody is let in again: ${up.why}`])
      break
    }
    // One violation stands in the log for ever: the world is not worth going on with.
    const broken = violate(life, up.violations)
    if (broken || enough) {
      await up.host.stop('SIGKILL')
      break
    }
    options.tell?.(`seed ${seed}, life ${life}: ${plan.kills.map(describeKill).join(', ')}`)
    const { killed, asPlanned, trouble } = await live(world, up.host, up.person, plan, seed)
    for (const victim of killed) count(victim, victim === 'host' ? (asPlanned ? howDied(plan) : 'at the end') : undefined)
    if (violate(life, trouble)) break
    cutPower(life)
  }
  result.calls += world.witness.calls.size
  result.answered += [...world.witness.calls.values()].filter(({ answer }) => answer !== null).length
}

type Up =
  | { is: 'up'; host: RunningHost; person: Person; violations: string[] }
  /** It does not come up, or comes up and serves nobody, such as over a vault that is damaged. */
  | { is: 'shut'; why: string }
  | { is: 'killed'; how: string }

/** Starts a host and checks what it finds. With a plan it may be killed on the way, in the middle of its own recovery. */
async function bringUp(world: World, plan: LifePlan | null): Promise<Up> {
  const kill = plan?.kills.at(-1)
  const point = kill?.victim === 'host' && kill.at === 'point' ? `${kill.point}:${kill.times}` : null
  let child: ChildProcess | null = null
  let timer: NodeJS.Timeout | undefined
  const spawned = (process: ChildProcess) => {
    child = process
    if (kill?.victim === 'host' && kill.at === 'start') timer = setTimeout(() => process.kill('SIGKILL'), kill.ms)
  }
  try {
    const { host, person } = await world.start(point, spawned)
    const violations = await world.checker.check(person, world.witness)
    clearTimeout(timer)
    if (!isKilled(child)) return { is: 'up', host, person, violations }
  } catch (error) {
    clearTimeout(timer)
    await ended(child)
    if (!isKilled(child)) return { is: 'shut', why: messageOf(error) }
    if (plan === null) throw error
  }
  return { is: 'killed', how: kill?.victim === 'host' && kill.at === 'point' ? `${kill.point} while starting` : 'while starting' }
}

const isKilled = (child: ChildProcess | null): boolean => child?.signalCode === 'SIGKILL'

/** Word of a death comes a moment after its consequences. */
async function ended(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 1000)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function howDied({ kills }: LifePlan): string {
  const last = kills.at(-1)
  if (last?.victim !== 'host') return 'at the end'
  switch (last.at) {
    case 'point':
      return last.point
    case 'told':
      return 'on an acknowledgement'
    case 'instant':
      return 'at an instant'
    case 'start':
      return 'at the end'
  }
}
