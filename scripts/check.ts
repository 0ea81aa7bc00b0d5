// Everything that must hold before a change is done, in one go. A stage that fails does not stop the next one, so that one run
// tells the whole story. The last line sums up: every test counts, and a stage without tests counts only when it fails.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const root = path.join(import.meta.dirname, '..')
const results = path.join(root, '.scratch', 'results')

/** npm scripts, in order. */
const CHECKS = ['format:check', 'lint', 'typecheck', 'knip', 'build'] as const
const TESTS = ['test:unit', 'test:e2e', 'test:desktop'] as const
/** What Playwright runs. */
const STORIES = 'test:stories'
/** What nobody should have to wait for after every change: other people's clients, the app as it is installed, and loops at their full length. */
const JUDGES = ['test:judges', 'test:packaged', 'test:long'] as const
const JUDGES_STORIES = ['test:packaged-stories', 'test:mouse-stories'] as const

interface Tally {
  passed: number
  /** What failed, each by its name and with the reason: a long run is read from its end. */
  failed: string[]
}

function npm(script: string, extra: string[] = [], env: Record<string, string> = {}): boolean {
  console.log(`\n── ${script}`)
  const began = performance.now()
  // npm is a script of its own on Windows, which only a shell can start; nothing here comes from outside.
  const { status } = spawnSync('npm', ['run', '--silent', script, '--', ...extra], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  })
  console.log(`── ${script} took ${Math.round((performance.now() - began) / 1000)} s`)
  return status === 0
}

function check(script: string): Tally {
  return { passed: 0, failed: npm(script) ? [] : [script] }
}

/** As Vitest writes it. */
interface VitestReport {
  numPassedTests: number
  testResults: { name: string; assertionResults: { fullName: string; status: string; failureMessages?: string[] }[] }[]
}

function test(script: string): Tally {
  const report = freshReport(script)
  const fine = npm(script, ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`])
  const written = readReport(report) as VitestReport | null
  if (written === null) return { passed: 0, failed: [script] }
  const failed = written.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages = [] }) => failure(`${path.relative(root, name)}: ${fullName}`, failureMessages[0])),
  )
  return tally(script, fine, { passed: written.numPassedTests, failed })
}

/** As Playwright writes it. */
interface PlaywrightSuite {
  suites?: PlaywrightSuite[]
  specs: { title: string; file: string; tests: { projectName: string; status: string; results: { error?: { message?: string } }[] }[] }[]
}

function stories(script: string): Tally {
  const report = freshReport(script)
  const fine = npm(script, ['--reporter=list,json'], { PLAYWRIGHT_JSON_OUTPUT_FILE: report })
  const written = readReport(report) as { stats: { expected: number }; suites: PlaywrightSuite[] } | null
  if (written === null) return { passed: 0, failed: [script] }
  return tally(script, fine, { passed: written.stats.expected, failed: written.suites.flatMap(failedStories) })
}

function failedStories(suite: PlaywrightSuite): string[] {
  const own = suite.specs.flatMap(({ title, file, tests }) =>
    // One that passed only when it was tried again has not passed.
    tests
      .filter(({ status }) => ['unexpected', 'flaky'].includes(status))
      .map(({ projectName, results }) => failure(`${file} [${projectName}]: ${title}`, results[0]?.error?.message)),
  )
  return [...own, ...(suite.suites ?? []).flatMap(failedStories)]
}

const REASON_LINES = 8

/** The name, and under it what was found in place of what was expected. */
function failure(name: string, message = ''): string {
  const said = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '')
  return [name, ...said.slice(0, REASON_LINES).map((line) => `    ${line}`)].join('\n')
}

/** A file that does not load, or an error between the tests, fails the run without failing any test. */
function tally(script: string, fine: boolean, { passed, failed }: Tally): Tally {
  return { passed, failed: fine || failed.length > 0 ? failed : [`${script}: an error outside the tests`] }
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
      return [...CHECKS.map(check), ...TESTS.map(test), stories(STORIES)]
    case '--with-judges':
      return [...CHECKS.map(check), ...TESTS.map(test), stories(STORIES), ...judges()]
    case '--tests':
      return [check('build'), ...TESTS.map(test), stories(STORIES)]
    case '--judges':
      return [check('build'), ...judges()]
    default:
      console.error('usage: check.ts [--tests | --judges | --with-judges]')
      return [{ passed: 0, failed: ['the command line'] }]
  }
}

function judges(): Tally[] {
  return [...JUDGES.map(test), ...JUDGES_STORIES.map(stories)]
}

mkdirSync(results, { recursive: true })
const tallies = chosen(process.argv.slice(2))
const passed = tallies.reduce((total, tally) => total + tally.passed, 0)
const failed = tallies.flatMap((tally) => tally.failed)
process.exitCode = failed.length === 0 ? 0 : 1
if (failed.length > 0) console.log(`\nfailed:\n${failed.map((name) => `  ${name}`).join('\n')}`)
console.log(`\n${passed} passed, ${failed.length} failed`)
