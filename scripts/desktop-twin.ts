// Playwright drives a desktop app through its inspector and its debugging port, and ours lets nobody have either. The tests drive a twin:
// a copy of the built programs that differs in one word (src-main/electron/first-line.ts). It lies outside of what is packaged.

import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')
const dist = path.join(root, 'dist')
const twin = path.join(root, '.scratch', 'desktop-twin')

/** As long as each other, so that the second takes the first's place in an archive, too. */
const REFUSED = 'inspector-refused'
const ALLOWED = 'inspector-allowed'

/** The desktop program of the twin, made anew when the programs have been built since. */
export function desktopTwin(): string {
  const program = path.join(twin, 'desktop.js')
  if (!existsSync(program) || statSync(program).mtimeMs < statSync(path.join(dist, 'desktop.js')).mtimeMs) makeTwin()
  return program
}

function makeTwin(): void {
  mkdirSync(path.dirname(twin), { recursive: true })
  const draft = mkdtempSync(`${twin}-`)
  cpSync(dist, draft, { recursive: true })
  // Some tests start it as another user.
  chmodSync(draft, 0o755)
  letInspectorIn(path.join(draft, 'desktop.js'))
  rmSync(twin, { recursive: true, force: true })
  renameSync(draft, twin)
}

/** In the program itself, or in the archive that it is packed into. */
export function letInspectorIn(file: string): void {
  const parts = readFileSync(file, 'latin1').split(REFUSED)
  if (parts.length !== 2) throw new Error(`${file} does not have the word ${REFUSED} once, but ${parts.length - 1} times.`)
  writeFileSync(file, parts.join(ALLOWED), 'latin1')
}
