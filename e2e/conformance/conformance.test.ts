// The official suite in both of its requirement sets, over HTTP against a running host and over stdio against a running bridge.
// With the fixture pack nothing that counts may fail; without it only what needs the pack.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDesk } from '../support/desk.ts'
import { dist, freshHome } from '../support/host.ts'
import { openHttpDesk } from '../support/http.ts'
import { serveStdio, TOKEN } from './stdio-front.ts'
import { judge, SETS, suite, type Judged, type Verdict } from './suite.ts'

/** What may fail and counts for nothing: an extension that we do not have, and on stdio headers that only HTTP has. */
const UNSCORED = { 'over HTTP': /^tasks-/, 'over stdio': /^(tasks-|http-custom-header-server-validation$)/ }
type Way = keyof typeof UNSCORED

type Target = Pick<Judged, 'url' | 'token'>

function run(program: string, args: string[], home: string) {
  const env = { ...process.env, COUNTERSIGN_HOME: home, COUNTERSIGN_NO_START: '1' }
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  return child
}

async function fixtureHost(): Promise<Target> {
  const child = run(path.join(import.meta.dirname, 'fixtures', 'host.ts'), [], freshHome())
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { http, token } = JSON.parse(line) as { http: { url: string }; token: string }
  return { url: http.url, token }
}

const plainHost = async (): Promise<Target> => {
  const desk = await openHttpDesk()
  return { url: desk.mcp, token: desk.token }
}

async function bridge(program: string): Promise<Target> {
  const desk = await openDesk()
  await desk.someone.ask('clients.register', { id: 'suite', name: 'The suite', policy: 'default' })
  const front = await serveStdio(run(program, ['--client', 'suite'], desk.home))
  onTestFinished(() => front.close())
  return { url: front.url, token: TOKEN }
}

const fixtureBridge = () => bridge(path.join(import.meta.dirname, 'fixtures', 'bridge.ts'))
const plainBridge = () => bridge(path.join(dist, 'bridge.js'))

function told(verdict: Verdict, what: string): Verdict {
  console.log(`${what}: ${verdict.passed} passed, ${verdict.failed} failed, exit ${verdict.exit}`)
  return verdict
}

describe.each(SETS)('the requirements of %s', (set) => {
  test.for<[Way, () => Promise<Target>]>([
    ['over HTTP', fixtureHost],
    ['over stdio', fixtureBridge],
  ])('are met %s with the fixture pack', async ([how, start], { skip }) => {
    if ('missing' in suite) return skip(suite.missing)
    const verdict = told(await judge(suite.folder, { ...(await start()), set }), `${set} ${how}, with fixtures`)
    expect(
      verdict.failing.filter((name) => !UNSCORED[how].test(name)),
      verdict.report,
    ).toEqual([])
    expect(verdict.exit, verdict.report).toBe(0)
    expect(verdict.passed).toBeGreaterThan(set === '2025-11-25' ? 70 : 150)
  })

  test.for<[string, () => Promise<Target>]>([
    ['over HTTP', plainHost],
    ['over stdio', plainBridge],
  ])('are met %s by what we ship, except where the pack is needed', async ([how, start], { skip }) => {
    if ('missing' in suite) return skip(suite.missing)
    const expected = `expected-failures-${set}.yml`
    const verdict = told(await judge(suite.folder, { ...(await start()), set, expected }), `${set} ${how}, as shipped`)
    expect(verdict.exit, verdict.report).toBe(0)
  })
})
