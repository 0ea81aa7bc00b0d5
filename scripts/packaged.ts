// What the tests of the packaged app look at: `node scripts/packaged.ts`, after `npm run build`. The deb is made (without
// compression) and unpacked as dpkg would; beside it lies a twin for Playwright that differs in one fuse and one word of our program,
// because Playwright drives an app through its inspector, and the app that is shipped has none.

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { flipFuses, FuseV1Options, FuseVersion } from '@electron/fuses'
import { letInspectorIn } from './desktop-twin.ts'

const root = path.join(import.meta.dirname, '..')
const folder = path.join(root, '.scratch', 'package')
const OPT = path.join('opt', 'Countersign')

/** Where dpkg would find `/`. */
export const installed = path.join(folder, 'installed')
export const app = path.join(installed, OPT, 'countersign')
export const twin = path.join(folder, 'twin', 'countersign')
export const executable = path.join(installed, OPT, 'resources', 'bin', 'countersign')

export function debFile(): string {
  const [file, ...more] = globSync(path.join(folder, 'out', '*.deb'))
  if (file === undefined || more.length > 0) throw new Error('There is no deb to test, or more than one. Run: node scripts/packaged.ts')
  return file
}

/** Of everything that the package is made from, the newest. */
function newestPart(): number {
  const parts = ['dist/**/*', 'build/**/*', 'electron-builder.yml', 'scripts/{desktop-twin,dist,fpm,executable,icons,packaged}.ts']
  return Math.max(...parts.flatMap((pattern) => globSync(path.join(root, pattern))).map((file) => statSync(file).mtimeMs))
}

function isFresh(): boolean {
  return existsSync(twin) && statSync(path.dirname(twin)).ctimeMs > newestPart()
}

async function prepare(): Promise<void> {
  rmSync(path.join(folder, 'out'), { recursive: true, force: true })
  for (const old of [installed, path.dirname(twin)]) rmSync(old, { recursive: true, force: true })
  execFileSync(process.execPath, [path.join(import.meta.dirname, 'dist.ts'), '--deb', '--quick'], { cwd: root, stdio: 'inherit' })
  mkdirSync(installed)
  execFileSync('dpkg-deb', ['--extract', debFile(), installed])
  const draft = `${path.dirname(twin)}.draft`
  rmSync(draft, { recursive: true, force: true })
  // The same files by other names; only the program itself and ours become others.
  execFileSync('cp', ['-al', path.join(installed, OPT), draft])
  const program = path.join(draft, path.basename(twin))
  rmSync(program)
  copyFileSync(app, program)
  const archive = path.join('resources', 'app.asar')
  rmSync(path.join(draft, archive))
  copyFileSync(path.join(path.dirname(app), archive), path.join(draft, archive))
  letInspectorIn(path.join(draft, archive))
  await flipFuses(program, { version: FuseVersion.V1, [FuseV1Options.EnableNodeCliInspectArguments]: true })
  renameSync(draft, path.dirname(twin))
}

if (import.meta.main && !isFresh()) await prepare()
