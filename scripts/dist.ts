// `npm run dist`: the packages for the system that it runs on, into .scratch/package/out (docs/packaging.md).
//
//   npm run dist                 everything in electron-builder.yml for this system
//   npm run dist -- --dir        only the unpacked app; needs no download but Electron, and without that takes the tests' copy
//   npm run dist -- --deb        the same as a deb, made with Debian's own tools
//   npm run dist -- --deb --quick   not compressed, for tests

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installedElectron, testElectron } from './electron.ts'
import { buildExecutable } from './executable.ts'
import { drawIcons } from './icons.ts'

const root = path.join(import.meta.dirname, '..')
const folder = path.join(root, '.scratch', 'package')

/** Of the built programs, those that run in the desktop app; the others are in the executable, or are for a host without a desktop. */
const PROGRAMS = [
  'desktop.js',
  'audit-worker.js',
  'keychain-utility.js',
  'window-preload.js',
  'prompt-preload.js',
  'package.json',
  'renderer',
]

interface About {
  name: string
  version: string
  description: string
  license: string
}

interface Electron {
  version: string
  folder: string
  official: boolean
}

/** What electron-builder packs: our programs, and keytar without what it is compiled from. */
function stageApp(version: string): void {
  const app = path.join(folder, 'app')
  rmSync(app, { recursive: true, force: true })
  for (const program of PROGRAMS) cpSync(path.join(root, 'dist', program), path.join(app, 'dist', program), { recursive: true })
  const { name, description, license } = readPackage(root)
  const keytar = path.join(root, 'node_modules', 'keytar')
  const binary = path.join('build', 'Release', 'keytar.node')
  if (!existsSync(path.join(keytar, binary)))
    throw new Error(
      'keytar has not been built here, so the app would have no keychain. With a C++ compiler, make, python3, pkg-config and ' +
        'libsecret’s headers (on Debian: apt-get install g++ make python3 pkg-config libsecret-1-dev) run: npm ci',
    )
  const about = readPackage(keytar)
  for (const file of [path.join('lib', 'keytar.js'), binary, 'LICENSE.md']) {
    cpSync(path.join(keytar, file), path.join(app, 'node_modules', 'keytar', file))
  }
  writePackage(path.join(app, 'node_modules', 'keytar'), {
    name: 'keytar',
    version: about.version,
    license: about.license,
    main: 'lib/keytar.js',
  })
  writePackage(app, {
    name,
    version,
    description,
    license,
    author: 'Countersign',
    homepage: 'https://countersign.invalid/',
    main: 'dist/desktop.js',
    desktopName: 'countersign.desktop',
    dependencies: { keytar: about.version },
  })
}

function readPackage(where: string): About {
  return JSON.parse(readFileSync(path.join(where, 'package.json'), 'utf8')) as About // Ours, or one that npm has checked.
}

function writePackage(where: string, about: object): void {
  writeFileSync(path.join(where, 'package.json'), `${JSON.stringify(about, null, 2)}\n`)
}

function electronHere(): Electron {
  const official = installedElectron()
  if (official === null) execFileSync(process.execPath, [path.join(import.meta.dirname, 'electron.ts')], { stdio: 'inherit' })
  const program = official ?? testElectron()
  const where = path.dirname(program)
  const version = readFileSync(path.join(where, 'version'), 'utf8').trim().replace(/^v/, '')
  return { version, folder: where, official: official !== null }
}

function electronBuilder(args: string[], env: Record<string, string> = {}): void {
  const program = fileURLToPath(import.meta.resolve('electron-builder/cli.js'))
  const { status } = spawnSync(process.execPath, [program, '--publish', 'never', ...args], {
    cwd: root,
    // Nobody is to be asked for a signature that is not there.
    env: { CSC_IDENTITY_AUTO_DISCOVERY: 'false', ...process.env, ...env },
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('electron-builder failed.')
}

const { values: asked } = parseArgs({ options: { dir: { type: 'boolean' }, deb: { type: 'boolean' }, quick: { type: 'boolean' } } })
const isPartial = asked.dir === true || asked.deb === true
const electron = isPartial ? electronHere() : null
const { version } = readPackage(root)
const isForTests = electron?.official === false

mkdirSync(folder, { recursive: true })
// A version of its own, so that nobody takes it for a release, and every release replaces it.
stageApp(isForTests ? `${version}-test` : version)
drawIcons(path.join(folder, 'icons'))
buildExecutable(path.join(folder, 'bin'))
const own = electron === null ? [] : [`-c.electronDist=${electron.folder}`, `-c.electronVersion=${electron.version}`]
if (asked.deb) {
  const quick: Record<string, string> = asked.quick ? { DEB_COMPRESSION: 'none' } : {}
  electronBuilder(['--linux', 'deb', ...own], { CUSTOM_FPM_PATH: path.join(import.meta.dirname, 'fpm.ts'), ...quick })
} else {
  electronBuilder(asked.dir ? ['--dir', ...own] : [])
}
console.log(`The packages are in ${path.relative(process.cwd(), path.join(folder, 'out'))}`)
if (isForTests) console.log(`They hold an unofficial copy of Electron ${electron.version}, for tests only: do not ship them.`)
