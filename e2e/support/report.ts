// Figures of a long run, for the report on reliability: one file per section, with what is needed to have them again.

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..', '..')
/** Of when the run began: others may commit before it ends. */
const COMMIT = commit()
/** Elsewhere for runs that are a part of something else, and would overwrite the figures of a long one. */
export const reliability = process.env['RELIABILITY'] ?? path.join(root, '.scratch', 'reliability')

/** Writes `.scratch/reliability/<section>.json`, or another file: the figures, and from which commit, when and which seed they are. */
export function writeFigures(section: string, figures: object, file = path.join(reliability, `${section}.json`)): void {
  mkdirSync(path.dirname(file), { recursive: true })
  const whole = { commit: COMMIT, date: new Date().toISOString(), seed: null, ...figures }
  writeFileSync(file, `${JSON.stringify(whole, null, 2)}\n`)
}

/** `unknown` in a copy that git knows nothing of. */
function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return 'unknown'
  }
}
