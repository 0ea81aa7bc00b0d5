// What the machines have measured, as far as the report needs it: in .scratch/reliability what they wrote here, and beside the page
// what was measured when it was last written, so that one of them can be run anew without all the others.

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { reliability } from '../e2e/support/report.ts'

export interface Measured {
  commit: string
  date: string
  seed: number | null
}

export interface Kills extends Measured {
  kills: number
  killsByVictim: Record<string, number>
  deathsOfHosts: Record<string, number>
  restarts: number
  calls: number
  answered: number
  violations: string[]
  seconds: number
}

export interface Mutations extends Measured {
  mutations: { name: string; after: number | null; first: string | null }[]
}

export interface Faults extends Measured {
  faults: { fault: string; clientSaw: string[]; tookMs: number; limitMs?: number; kept: string; personSaw?: string }[]
}

export interface Fuzz extends Measured {
  minutes: number
  campaigns: { target: string; inputs: number; reactions: number; reached: number | null; broken: unknown[]; slowestMs: number }[]
}

export interface Load extends Measured {
  small: boolean
  rows: { measure: string; target: string | null; measured: string; met: boolean | null }[]
}

export interface Sweep extends Measured {
  machines: string[]
  files: number
  logs: number
  megabytes: number
  programsStarted: number | null
  taps: string[]
  belongs: { what: string; why: string; seen: boolean }[]
  leaks: { where: string; form: string }[]
  coreFiles: number
}

export interface Tamper extends Measured {
  attacks: { attack: string; found: boolean }[]
}

/** The parts of the load machine, each with what it is about. */
export const LOAD_PARTS = {
  crowd: 'Fifty bridges, two hundred calls each, all at once',
  rate: 'Two thousand audited calls a second',
  reads: 'One client that reads one value after another',
  million: 'A log of a million entries',
  'slow-reader': 'One client that stops reading, among others',
  soak: 'A day in short: clients and people come and go',
} as const

export interface Figures {
  kills: Kills | null
  'power-loss': Kills | null
  mutations: Mutations | null
  tamper: Tamper | null
  faults: Faults | null
  fuzz: Fuzz | null
  sentinel: Sweep | null
  load: Record<keyof typeof LOAD_PARTS, Load | null>
}

/** The newest of what lies in `folder` and of `kept`, section by section. */
export function readFigures(folder = reliability, kept: Figures | null = null): Figures {
  const newest = <T extends Measured>(section: string, before: T | null | undefined): T | null => {
    const file = path.join(folder, `${section}.json`)
    // Written by our own machines, which are typed.
    const measured = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : null
    if (measured === null || !before) return measured ?? before ?? null
    return measured.date > before.date ? measured : before
  }
  const part = (name: keyof typeof LOAD_PARTS) => newest(`load-${name}`, kept?.load[name])
  return {
    kills: newest('kills', kept?.kills),
    'power-loss': newest('power-loss', kept?.['power-loss']),
    mutations: newest('mutations', kept?.mutations),
    tamper: newest('tamper', kept?.tamper),
    faults: newest('faults', kept?.faults),
    fuzz: newest('fuzz', kept?.fuzz),
    sentinel: newest('sentinel', kept?.sentinel),
    load: {
      crowd: part('crowd'),
      rate: part('rate'),
      reads: part('reads'),
      million: part('million'),
      'slow-reader': part('slow-reader'),
      soak: part('soak'),
    },
  }
}

/** By the command that measures it. */
export function missing({ load, ...others }: Figures): string[] {
  const parts = Object.entries(load).map(([part, figures]) => [`load-${part}`, figures] as const)
  return [...Object.entries(others), ...parts].filter(([, figures]) => figures === null).map(([section]) => section)
}
