// npm run load [-- --only NAME] [--seconds N] [--rows N] [--minutes N] [--small]: the host under more than anybody should ask of it.
// Every part has a host of its own; its figures go to .scratch/reliability, for the report.

import { parseArgs } from 'node:util'
import type { AtEnd } from '../support/host.ts'
import { writeFigures } from '../support/report.ts'
import { crowd, FULL_CROWD, SMALL_CROWD } from './crowd.ts'
import { million } from './million.ts'
import { rate } from './rate.ts'
import { reads } from './reads.ts'
import { newSheet, type Sheet } from './sheet.ts'
import { slowReader } from './slow-reader.ts'
import { soak } from './soak.ts'

interface Options {
  small: boolean
  /** Undefined where a part decides for itself. */
  seconds: number | undefined
  rows: number | undefined
  minutes: number | undefined
}

const PARTS: Record<string, (sheet: Sheet, atEnd: AtEnd, options: Options) => Promise<void>> = {
  crowd: (sheet, atEnd, { small }) => crowd(sheet, atEnd, small ? SMALL_CROWD : FULL_CROWD),
  reads: (sheet, atEnd, { small }) => reads(sheet, atEnd, small ? 200 : 2000),
  rate: (sheet, atEnd, { small, seconds = small ? 5 : 60 }) => rate(sheet, atEnd, seconds),
  'slow-reader': (sheet, atEnd, { small, seconds = small ? 5 : 60 }) => slowReader(sheet, atEnd, seconds),
  million: (sheet, atEnd, { small, rows = small ? 50_000 : 1_000_000 }) => million(sheet, atEnd, rows),
  soak: (sheet, atEnd, { small, minutes = small ? 0.5 : 20 }) => soak(sheet, atEnd, minutes),
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    seconds: { type: 'string' },
    rows: { type: 'string' },
    minutes: { type: 'string' },
    small: { type: 'boolean', default: false },
  },
})
const number = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))
const options = { small: values.small, seconds: number(values.seconds), rows: number(values.rows), minutes: number(values.minutes) }
const chosen = values.only ?? Object.keys(PARTS)
const isOdd = [options.seconds, options.rows, options.minutes].some((value) => value !== undefined && !(value > 0))
if (isOdd || chosen.some((name) => PARTS[name] === undefined)) {
  console.error(`usage: npm run load -- [--only ${Object.keys(PARTS).join('|')}] [--seconds N] [--rows N] [--minutes N] [--small]`)
  process.exit(64)
}

for (const name of chosen) {
  const sheet = newSheet()
  const closing: (() => Promise<void> | void)[] = []
  try {
    await PARTS[name]?.(sheet, (work) => void closing.unshift(work), options)
  } finally {
    for (const close of closing) await close()
  }
  tell(name, sheet)
  writeFigures(`load-${name}`, { small: options.small, rows: sheet.rows, broken: sheet.broken })
  if (sheet.broken.length > 0) process.exitCode = 1
}

function tell(name: string, { rows, broken }: Sheet): void {
  console.log(`\n${name}`)
  for (const { measure, target, measured, met } of rows) {
    console.log(`  ${measure}: ${measured}${target === null ? '' : ` (${met === true ? 'promised' : 'NOT MET, promised'} ${target})`}`)
  }
  for (const sentence of broken) console.log(`  BROKEN: ${sentence}`)
}
