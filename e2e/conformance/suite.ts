// The official conformance suite, pinned, fetched for the run and run as a program of its own.

import { execFile } from 'node:child_process'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { fetchJudge } from '../judges/fetch.ts'

export const SETS = ['2025-11-25', '2026-07-28'] as const
export type RequirementSet = (typeof SETS)[number]

export const suite = await fetchJudge('@modelcontextprotocol/conformance', '0.2.0-alpha.12')

export interface Verdict {
  exit: number
  passed: number
  failed: number
  /** Scenarios in which something failed. */
  failing: string[]
  /** What it printed. */
  report: string
}

export interface Judged {
  url: string
  token: string
  set: RequirementSet
  /** Scenarios that are expected to fail; it is an error too if one of them does not. */
  expected?: string
}

export function judge(folder: string, { url, token, set, expected }: Judged): Promise<Verdict> {
  const here = import.meta.dirname
  const baseline = expected === undefined ? [] : ['--expected-failures', path.join(here, expected)]
  const args = ['server', '--url', url, '--requirements', set, '--timeout', '20000', ...baseline]
  const options = { env: { PATH: process.env['PATH'], HOME: process.env['HOME'], CONFORMANCE_TOKEN: token }, maxBuffer: 64 << 20 }
  const program = ['--import', path.join(here, 'send-token.ts'), path.join(folder, 'dist', 'index.js')]
  return new Promise((resolve) => {
    execFile(process.execPath, [...program, ...args], options, (error, stdout, stderr) => {
      const report = stripVTControlCharacters(`${stdout}\n${stderr}`)
      const [, passed, failed] = /^Total: (\d+) passed, (\d+) failed$/m.exec(report) ?? []
      resolve({
        exit: error === null ? 0 : typeof error.code === 'number' ? error.code : -1,
        passed: Number(passed),
        failed: Number(failed),
        failing: [...report.matchAll(/^✗ (\S+): \d+ passed, [1-9]\d* failed$/gm)].map(([, name]) => name ?? ''),
        report,
      })
    })
  })
}
