// What happens in one life of a host and how it ends: a pure function of the seed and the number of the life. Which of two things
// that happen at once comes first is up to the machine it runs on; what is asked, answered, edited and killed is not.

import { sentinel } from '../support/sentinel.ts'
import { chance, type Chance } from './random.ts'

/** Who sits behind each bridge. Two windows of one client share its registration; one client has none. */
export const SEATS = ['alpha', 'alpha', 'gamma', null] as const

export const POINTS = ['intent', 'vault.pending', 'vault.item', 'vault.live', 'effect', 'outcome', 'answer', 'audit.committed'] as const
type Point = (typeof POINTS)[number]

export interface CallStep {
  /** Names this call in the log: the client says it as its own name. */
  label: string
  tool: 'get_secret' | 'list_secrets' | 'store_secret' | 'remove_secret' | 'test_policy'
  secret: string | null
  value: string | null
  force: boolean
  /** The next one is sent without waiting for this one's answer. */
  hurried: boolean
}

export type Edit =
  | { is: 'policy'; name: string; description: string; deny: string[] }
  | { is: 'no policy'; name: string }
  | { is: 'client' | 'no client' | 'rotate'; id: string }
  | { is: 'settings'; waitSeconds: number }
  | { is: 'store'; secret: string; value: string }
  | { is: 'remove'; secret: string }
  | { is: 'registration' | 'no registration' }

export type Kill =
  | { victim: 'bridge'; seat: number; ms: number }
  | { victim: 'helper'; ms: number }
  | { victim: 'host'; at: 'point'; point: Point; times: number }
  | { victim: 'host'; at: 'instant' | 'start'; ms: number }
  /** As soon as clients have been told of so many writes: what they were told must be true already. */
  | { victim: 'host'; at: 'told'; writes: number }

export interface LifePlan {
  scripts: CallStep[][]
  edits: Edit[]
  kills: Kill[]
  /** Whoever is alive after this long is killed: a request that nobody answers would wait for minutes. */
  limitMs: number
}

/** Long enough for most of what is planned. */
export const LIFE_MS = 1200

const SECRETS = ['s0', 's1', 's2', 'dir/s3', 's4'] as const
const OWN = ['mine-0', 'mine-1'] as const

export function planLife(seed: number, life: number, { helper }: { helper: boolean }): LifePlan {
  const of = (what: string) => chance(seed, life, what)
  return {
    scripts: SEATS.map((_, seat) => script(of(`calls ${seat}`), `${life}.${seat}`)),
    edits: edits(of('edits'), String(life)),
    kills: kills(of('kills'), life, helper),
    // What must happen is waited for, however busy the machine is.
    limitMs: life < OPENING.length ? 15_000 : LIFE_MS,
  }
}

function script(random: Chance, prefix: string): CallStep[] {
  return Array.from({ length: 3 + random.below(5) }, (_, n): CallStep => {
    const label = `${prefix}.${n}`
    const step = { label, secret: random.pick(SECRETS), value: null, force: false, hurried: random.oneIn(3) }
    switch (random.below(10)) {
      case 0:
        return { ...step, tool: 'list_secrets', secret: null }
      case 1:
        return { ...step, tool: 'test_policy' }
      case 2:
      case 3:
        return { ...step, tool: 'get_secret' }
      case 4:
      case 5:
        return { ...step, tool: 'remove_secret' }
      default:
        return { ...step, tool: 'store_secret', value: valueFor(random, label), force: !random.oneIn(4) }
    }
  })
}

/** Now and then too long for an item of the keychain, so that it is kept in another place. */
function valueFor(random: Chance, label: string): string {
  return `${sentinel(label)} ${'x'.repeat(random.oneIn(6) ? 3000 : 8)}`
}

function edits(random: Chance, prefix: string): Edit[] {
  return Array.from({ length: random.below(5) }, (_, n): Edit => {
    const label = `${prefix}.${n}`
    const spare = `spare-${random.below(3)}`
    switch (random.below(12)) {
      case 0:
      case 1:
        return { is: 'policy', name: random.pick(['open', 'p0', 'p1']), description: label, deny: random.oneIn(2) ? ['s4'] : [] }
      case 2:
        return { is: 'no policy', name: random.pick(['p0', 'p1']) }
      case 3:
        return { is: 'client', id: random.pick([spare, 'gamma']) }
      case 4:
        return { is: 'no client', id: random.pick([spare, spare, 'gamma']) }
      case 5:
      case 6:
        return { is: 'rotate', id: random.pick(['alpha', 'gamma', spare]) }
      case 7:
        return { is: 'settings', waitSeconds: 20 + random.below(200) }
      case 8:
      case 9:
        return { is: 'store', secret: random.pick(OWN), value: valueFor(random, `the person ${label}`) }
      case 10:
        return { is: 'remove', secret: random.pick(OWN) }
      default:
        return { is: random.oneIn(2) ? 'registration' : 'no registration' }
    }
  })
}

function kills(random: Chance, life: number, helper: boolean): Kill[] {
  const before: Kill[] = Array.from({ length: random.below(3) }, () =>
    helper && random.oneIn(3)
      ? { victim: 'helper', ms: random.below(500) }
      : { victim: 'bridge', seat: random.below(SEATS.length), ms: random.below(500) },
  )
  return [...before, OPENING[life] ?? hostKill(random)]
}

/** However short a run: these are deaths that happen for certain, before chance takes over. */
const OPENING: readonly Kill[] = [
  { victim: 'host', at: 'told', writes: 1 },
  ...POINTS.map((point): Kill => ({ victim: 'host', at: 'point', point, times: 1 })),
]

/** How often each point comes by in a life, roughly. */
const PASSES: Partial<Record<Point, number>> = { answer: 12, 'audit.committed': 50 }

function hostKill(random: Chance): Kill {
  switch (random.below(10)) {
    case 0:
      return { victim: 'host', at: 'start', ms: 50 + random.below(500) }
    case 1:
    case 2:
      return { victim: 'host', at: 'told', writes: 1 + random.below(5) }
    case 3:
    case 4:
      return { victim: 'host', at: 'instant', ms: random.below(900) }
    default: {
      const point = random.pick(POINTS)
      return { victim: 'host', at: 'point', point, times: 1 + random.below(PASSES[point] ?? 4) }
    }
  }
}

/** What the person does about a request. It hangs on the call alone, not on when it comes. */
export type Attitude = 'allow' | 'deny' | 'both at once' | 'ignore'

export function attitudeTo(seed: number, label: string): Attitude {
  const random = chance(seed, 'answer', label)
  return random.pick<Attitude>([...Array<Attitude>(20).fill('allow'), 'both at once', 'both at once', 'deny', 'ignore'])
}

/** One line, for whoever wants to see what a seed does. */
export function describeKill(kill: Kill): string {
  switch (kill.victim) {
    case 'bridge':
      return `bridge ${kill.seat} after ${kill.ms} ms`
    case 'helper':
      return `keychain helper after ${kill.ms} ms`
    case 'host':
      if (kill.at === 'point') return `host at ${kill.point}:${kill.times}`
      if (kill.at === 'told') return `host when ${kill.writes} writes are acknowledged`
      return `host ${kill.ms} ms after ${kill.at === 'start' ? 'its start' : 'the first call'}`
  }
}
