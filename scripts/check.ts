// Everything that must hold before a change is done, in one go. A stage that fails does not stop the next one, so that one run
// tells the whole story. The last line sums up: every test counts, and a stage without tests counts only when it fails.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')
const results = path.join(root, '.scratch', 'results')

/** npm scripts, in order. */
const CHECKS = ['format:check', 'lint', 'typecheck', 'knip', 'build'] as const
const TESTS = ['test:unit', 'test:e2e', 'test:desktop'] as const
/** The ones that Playwright runs. */
const STORIES = 'test:stories'
const JUDGES = 'test:judges'

interface Tally {
  passed: number
  failed: number
}

function npm(script: string, extra: string[] = [], env: Record<string, string> = {}): boolean {
  console.log(`\n── ${script}`)
  // npm is a script of its own on Windows, which only a shell can start; nothing here comes from outside.
  const { status } = spawnSync('npm', ['run', '--silent', script, '--', ...extra], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  })
  return status === 0
}

function check(script: string): Tally {
  return { passed: 0, failed: npm(script) ? 0 : 1 }
}

function test(script: string): Tally {
  const report = freshReport(script)
  const fine = npm(script, ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`])
  const counted = readReport(report) as { numPassedTests: number; numFailedTests: number } | null // As Vitest writes it.
  return tally(fine, counted === null ? null : { passed: counted.numPassedTests, failed: counted.numFailedTests })
}

function stories(): Tally {
  const report = freshReport(STORIES)
  const fine = npm(STORIES, ['--reporter=list,json'], { PLAYWRIGHT_JSON_OUTPUT_FILE: report })
  const counted = readReport(report) as { stats: { expected: number; unexpected: number; flaky: number } } | null // As Playwright writes it.
  // One that passed only when it was tried again has not passed.
  return tally(fine, counted === null ? null : { passed: counted.stats.expected, failed: counted.stats.unexpected + counted.stats.flaky })
}

/** A file that does not load, or an error between the tests, fails the run without failing any test. */
function tally(fine: boolean, counted: Tally | null): Tally {
  const { passed, failed } = counted ?? { passed: 0, failed: 1 }
  return { passed, failed: fine ? failed : Math.max(failed, 1) }
}

function freshReport(script: string): string {
  const report = path.join(results, `${script.replace(':', '-')}.json`)
  rmSync(report, { force: true })
  return report
}

function readReport(report: string): unknown {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    console.error(`The test run left no report in ${path.relative(root, report)}.`)
    return null
  }
}

function chosen(args: readonly string[]): Tally[] {
  switch (args.join(' ')) {
    case '':
      return [...CHECKS.map(check), ...TESTS.map(test), stories()]
    case '--with-judges':
      return [...CHECKS.map(check), ...[...TESTS, JUDGES].map(test), stories()]
    case '--tests':
      return [check('build'), ...TESTS.map(test), stories()]
    case '--judges':
      return [check('build'), test(JUDGES)]
    default:
      console.error('usage: check.ts [--tests | --judges | --with-judges]')
      return [{ passed: 0, failed: 1 }]
  }
}

mkdirSync(results, { recursive: true })
const tallies = chosen(process.argv.slice(2))
const sum = (of: keyof Tally) => tallies.reduce((total, tally) => total + tally[of], 0)
process.exitCode = sum('failed') === 0 ? 0 : 1
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`)
