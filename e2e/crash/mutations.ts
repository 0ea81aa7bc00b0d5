// The checker, checked: a copy of the built host is broken on purpose, one way at a time, and must be caught within fifty kills. Only
// copies are touched; a text that is no longer found ends the run, so that no mutation goes stale unnoticed.

import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { dist } from '../support/host.ts'
import { run, total } from './machine.ts'

export interface Mutation {
  name: string
  powerLoss: boolean
  changes: [from: string, to: string][]
}

const INTENT = `await append({
				...intent,
				kind: "intent"
			});
			faultPoint("intent");`
const PENDING = `records.putVersion({
					...live,
					state: "pending"
				});`

export const MUTATIONS: readonly Mutation[] = [
  { name: 'the outcome is skipped', powerLoss: false, changes: [['await append(outcome);', '']] },
  {
    name: 'the effect comes before the intent',
    powerLoss: false,
    changes: [
      [INTENT, ''],
      ['faultPoint("effect");', `faultPoint("effect"); ${INTENT}`],
    ],
  },
  {
    name: 'the answer comes before the outcome',
    powerLoss: false,
    // So much later that a kill can come between the two even where the machine that kills is busy.
    changes: [['await append(outcome);', 'setTimeout(() => void append(outcome), 100);']],
  },
  {
    name: 'the item is set before its pending row',
    powerLoss: false,
    changes: [
      [PENDING, ''],
      ['await setItem(live, next.value);', `await setItem(live, next.value); ${PENDING}`],
    ],
  },
  {
    name: 'the log commits without fsync',
    powerLoss: true,
    changes: [['PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;', 'PRAGMA synchronous = OFF;']],
  },
  {
    name: 'the vault commits without fsync',
    powerLoss: true,
    changes: [['PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF', 'PRAGMA synchronous = OFF; PRAGMA trusted_schema = OFF']],
  },
]

const WITHIN = 50

export interface Caught {
  name: string
  /** Kills until it was found out; null: it was not. */
  after: number | null
  first: string | null
}

export async function catchMutations(seed: number, tell: (line: string) => void): Promise<Caught[]> {
  const caught: Caught[] = []
  for (const mutation of MUTATIONS) {
    const one = await catchMutation(mutation, seed)
    tell(one.after === null ? `NOT caught: ${one.name}` : `caught after ${one.after} kills: ${one.name} (${one.first})`)
    caught.push(one)
  }
  return caught
}

export async function catchMutation(mutation: Mutation, seed: number): Promise<Caught> {
  const programs = mutated(mutation)
  try {
    const result = await run({ kills: WITHIN, seed, store: 'sealed', powerLoss: mutation.powerLoss, programs, stopAtFirst: true })
    return {
      name: mutation.name,
      after: result.violations.length > 0 ? total(result) : null,
      first: result.violations[0] ?? null,
    }
  } finally {
    rmSync(programs, { recursive: true, force: true })
  }
}

/** A copy of the programs, in this project so that they find their modules. */
export function copyPrograms(name: string): string {
  const folder = path.join(dist, '..', '.scratch', 'crash', `${process.pid}-${name.replaceAll(' ', '-')}`)
  cpSync(dist, folder, { recursive: true })
  return folder
}

function mutated({ name, changes }: Mutation): string {
  const folder = copyPrograms(name)
  const file = path.join(folder, 'host.js')
  const code = changes.reduce(
    (text, [from, to]) => {
      const parts = text.split(from)
      if (parts.length !== 2) throw new Error(`The mutation '${name}' is stale: '${from}' occurs ${parts.length - 1} times in host.js.`)
      return parts.join(to)
    },
    readFileSync(file, 'utf8'),
  )
  writeFileSync(file, code)
  return folder
}
