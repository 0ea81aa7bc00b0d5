// npm run sentinel: every machine in its small form, with values that can be recognised; then everything they touched is searched for
// them. Meanwhile processes and files are looked at again and again, and strace, where there is one, writes down what every program was
// started with, however short its life.

import { spawn, spawnSync } from 'node:child_process'
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { writeFigures } from '../support/report.ts'
import { filesBelow, sentinelFinder } from '../support/sentinel.ts'
import { BELONGS, belongs } from './belongs.ts'
import { plainOf, witnessOf, type Found } from './witnesses.ts'

const root = path.join(import.meta.dirname, '..', '..')
const SEED = '7'
const LOOK_EVERY_MS = 500

const vitest = (...files: string[]): string[] => ['vitest', 'run', '--project', 'e2e', ...files]
const RUNS: Record<string, string[]> = {
  'a value stored, read, denied, left unanswered, misplaced and made to fail': vitest('e2e/a-value-leaves-no-trace.test.ts'),
  kills: ['node', 'e2e/crash/main.ts', '--kills', '60', '--seed', SEED],
  'cuts of power': ['node', 'e2e/crash/main.ts', '--power-loss', '--kills', '30', '--seed', SEED],
  faults: vitest('e2e/faults'),
  'hostile input': ['node', 'e2e/fuzz/main.ts', '--minutes', '1', '--seed', SEED],
  load: ['node', 'e2e/load/main.ts', '--small', '--only', 'crowd', '--only', 'slow-reader'],
  'programs that crash': ['node', 'e2e/sentinel/crashing.ts'],
}

const only = process.argv.slice(2)
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-sweep-'))
const at = (name: string): string => path.join(folder, name)
for (const name of ['tmp', 'taps', 'kept', 'output', 'starts', 'cores', 'figures']) mkdirSync(at(name))
const mark = `SWEEP=${path.basename(folder)}`
const witness = witnessOf([at('tmp'), at('kept'), at('taps'), at('output'), at('cores'), at('figures')], mark)
const traces = spawnSync('strace', ['--version']).status === 0

try {
  const failed: string[] = []
  for (const [name, command] of Object.entries(RUNS)) {
    if (only.length > 0 && !only.some((word) => name.includes(word))) continue
    console.log(`── ${name}`)
    if (!(await under(name, command))) failed.push(name)
  }
  conclude(failed)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Runs one machine with its eyes open. */
async function under(name: string, command: readonly string[]): Promise<boolean> {
  const file = name.replaceAll(/\W+/g, '-')
  const trace = [
    'strace',
    '-f',
    '-qq',
    '--seccomp-bpf',
    '-e',
    'trace=execve',
    '-e',
    'signal=none',
    '-v',
    '-s',
    '1000000',
    '-o',
    at(`starts/${file}`),
  ]
  const whole = ['scripts/with-keyring', ...(traces ? trace : []), ...command]
  // Whoever lets core files be written shall find none of our values in them.
  const child = spawn('sh', ['-c', 'ulimit -c unlimited 2>/dev/null; exec "$@"', 'sh', ...whole], {
    cwd: root,
    env: {
      ...process.env,
      PATH: `${path.join(root, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`,
      SWEEP: path.basename(folder),
      TMPDIR: at('tmp'),
      TAP: at('taps'),
      KEEP: at('kept'),
      CORES: at('cores'),
      RELIABILITY: at('figures'),
      NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'keep.ts')}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = createWriteStream(at(`output/${file}`))
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false })
  let running = true
  const ended = new Promise<boolean>((resolve) => {
    child.once('close', (code) => {
      running = false
      output.end(() => resolve(code === 0))
    })
  })
  while (running) {
    witness.look()
    await Promise.race([ended, wait(LOOK_EVERY_MS)])
  }
  const fine = await ended
  if (!fine) console.log(readFileSync(at(`output/${file}`), 'utf8').slice(-3000))
  return fine
}

function conclude(failed: readonly string[]): void {
  witness.look()
  const starts = lookAtStarts()
  const leaks: Found[] = []
  const fitting = new Map(BELONGS.map(({ what }) => [what, 0]))
  for (const found of [...witness.found.values(), ...starts.found]) {
    const place = belongs(found.where)
    if (place === undefined) leaks.push(found)
    else fitting.set(place.what, (fitting.get(place.what) ?? 0) + 1)
  }
  const blind = only.length > 0 ? [] : BELONGS.filter(({ what, expected }) => expected && fitting.get(what) === 0).map(({ what }) => what)
  const cores = filesBelow(folder).filter((file) => /^core(\.\d+)?$/.test(path.basename(file)) && !file.includes('/careless/'))
  const { seen } = witness
  const figures = {
    seed: Number(SEED),
    machines: Object.keys(RUNS),
    files: seen.files.size,
    logs: seen.logs.size,
    megabytes: Math.round(seen.bytes / 1e6),
    processesSeen: seen.processes.size,
    programsStarted: traces ? starts.count : null,
    taps: filesBelow(at('taps'))
      .map((file) => path.basename(file))
      .toSorted(),
    belongs: BELONGS.map(({ what, why }) => ({ what, why, seen: (fitting.get(what) ?? 0) > 0 })),
    leaks: leaks.map(({ where, form }) => ({ where: path.relative(folder, where), form })),
    coreFiles: cores.length,
    failed,
    blind,
  }
  console.log(JSON.stringify(figures, null, 2))
  if (only.length === 0) writeFigures('sentinel', figures)
  if (leaks.length > 0 || failed.length > 0 || blind.length > 0) process.exitCode = 1
}

/** Every program that was started, with all it was given. */
function lookAtStarts(): { found: Found[]; count: number } {
  const finder = sentinelFinder()
  let count = 0
  const found = filesBelow(at('starts')).flatMap((file) => {
    const log = readFileSync(file)
    count += log.toString('latin1').match(/ execve\(.*\) = 0$/gm)?.length ?? 0
    return finder.hits(plainOf(log)).map(({ form }) => ({ where: `${file}: arguments or environment of a program`, form }))
  })
  return { found, count }
}
