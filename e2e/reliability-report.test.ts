import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { missing, readFigures, type Figures } from '../scripts/reliability-figures.ts'
import { pageOf } from '../scripts/reliability-page.ts'

function figuresOf(sections: Record<string, object>, kept: Figures | null = null) {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-figures-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const measured = { commit: 'abc1234', date: '2026-11-16T12:00:00.000Z', seed: 7 }
  for (const [name, figures] of Object.entries(sections)) {
    writeFileSync(path.join(folder, `${name}.json`), JSON.stringify({ ...measured, ...figures }))
  }
  return readFigures(folder, kept)
}

it('what nobody measured is named, and the page says so instead of showing a figure', () => {
  const figures = figuresOf({})
  expect(missing(figures)).toContain('kills')
  expect(missing(figures)).toContain('load-million')
  expect(pageOf(figures).text).toContain('| violations under `kill -9` | 0 in 10,000 | Not measured. | not shown yet |')
})

it('a promise that is not kept stands in the page, and wants a reason', () => {
  const rows = [{ measure: 'p99, all asked at once', target: '≤ 5 s', measured: '6 s', met: false }]
  const { text, unexplained } = pageOf(figuresOf({ 'load-crowd': { small: false, rows } }))
  expect(text).toContain('| 50 × 200: p99 | ≤ 5 s | 6 s | **no** |')
  expect(unexplained).toContain('50 × 200: p99')
})

it('the words an AI client saw stand in one cell, whatever they hold', () => {
  const fault = { fault: 'disk full', clientSaw: ['Error: a|b\n<img src=x>'], tookMs: 12.4, limitMs: 1000, kept: 'all of it' }
  const { text } = pageOf(figuresOf({ faults: { faults: [fault] } }))
  expect(text).toContain('| disk full | “Error: a\\|b &lt;img src=x>” | 12.4 ms (≤ 1,000 ms) | all of it |')
  expect(text).toContain('commit `abc1234` · 2026-11-16 12:00 UTC · seed 7')
})

it('what was measured before stays until it is measured anew, and is not replaced by what is older', () => {
  const attacks = [{ attack: 'an edited row', found: true }]
  const before = figuresOf({ tamper: { attacks }, fuzz: { date: '2026-11-17T12:00:00.000Z', minutes: 9, campaigns: [] } })
  const after = figuresOf({ tamper: { date: '2026-11-18T12:00:00.000Z', attacks: [] }, fuzz: { minutes: 1, campaigns: [] } }, before)
  expect([after.tamper?.attacks, after.fuzz?.minutes]).toEqual([[], 9])
  expect(figuresOf({}, before).tamper?.attacks).toEqual(attacks)
})
