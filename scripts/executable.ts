// Bridge and command line as one executable: Node with dist/cli.js inside, so that AI clients need no Node of their own and no
// option in their environment makes it run anything else (docs/adr/0007).

import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { executableName } from '../src-main/adapters/packaged.ts'

const root = path.join(import.meta.dirname, '..')
const cli = path.join(root, 'dist', 'cli.js')
const postject = fileURLToPath(import.meta.resolve('postject/dist/cli.js'))
/** By it Node finds out that something was put into it. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Builds it into `folder` from the Node that runs this script; returns its path. */
export function buildExecutable(folder: string): string {
  if (!existsSync(cli)) throw new Error('There is nothing to build the executable from yet: npm run build')
  mkdirSync(folder, { recursive: true })
  const draft = mkdtempSync(path.join(folder, '..', 'executable-'))
  const executable = path.join(folder, executableName)
  try {
    const blob = prepare(draft)
    rmSync(executable, { force: true })
    copyFileSync(process.execPath, executable)
    chmodSync(executable, 0o755)
    // Before anything is put in: afterwards it would be taken for something superfluous. Signatures do not survive either way.
    if (process.platform === 'linux') run('strip', executable)
    if (process.platform === 'darwin') run('codesign', '--remove-signature', executable)
    const mac = process.platform === 'darwin' ? ['--macho-segment-name', 'NODE_SEA'] : []
    run(process.execPath, postject, executable, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE, ...mac)
    return executable
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function prepare(draft: string): string {
  const main = path.join(draft, 'main.cjs')
  const output = path.join(draft, 'countersign.blob')
  const config = path.join(draft, 'config.json')
  // The line that lets a shell start the script is no JavaScript to Node here.
  writeFileSync(main, readFileSync(cli, 'utf8').replace(/^#!.*\n/, ''))
  writeFileSync(
    config,
    JSON.stringify({
      main,
      output,
      useCodeCache: true,
      disableExperimentalSEAWarning: true,
      // Without these NODE_OPTIONS could load foreign code into it, and a signal open it to a debugger.
      execArgv: ['--disable-sigusr1'],
      execArgvExtension: 'none',
    }),
  )
  run(process.execPath, '--experimental-sea-config', config)
  return output
}

function run(command: string, ...args: string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${path.basename(command)} failed: ${error?.message ?? `${stdout}${stderr}`}`)
}

if (import.meta.main) console.log(buildExecutable(path.join(root, '.scratch', 'package', 'bin')))
