// What the machines have written into .scratch/reliability, as far as the report needs it.

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

export function readFigures(folder = reliability): Figures {
  const read = (section: string): unknown => {
    const file = path.join(folder, `${section}.json`)
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
  }
  const figures = {
    kills: read('kills'),
    'power-loss': read('power-loss'),
    mutations: read('mutations'),
    tamper: read('tamper'),
    faults: read('faults'),
    fuzz: read('fuzz'),
    sentinel: read('sentinel'),
    load: Object.fromEntries(Object.keys(LOAD_PARTS).map((part) => [part, read(`load-${part}`)])),
  }
  // Written by our own machines, which are typed.
  return figures as Figures
}

/** By the command that measures it. */
export function missing({ load, ...others }: Figures): string[] {
  const parts = Object.entries(load).map(([part, figures]) => [`load-${part}`, figures] as const)
  return [...Object.entries(others), ...parts].filter(([, figures]) => figures === null).map(([section]) => section)
}
