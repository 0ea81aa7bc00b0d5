import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OUTCOMES } from '../../../src-shared/audit.ts'
import { barsOf, barText, ticksOf } from './bars.ts'

const HOUR = 3_600_000
const at = new Date('2026-01-15T10:00').getTime()

test('the tallest bar is as tall as the drawing, and every kind of outcome is seen', () => {
  const bars = barsOf(
    {
      bucketMs: HOUR,
      buckets: [
        { from: at, counts: { allowed: 5_000, denied: 1 } },
        { from: at + HOUR, counts: {} },
      ],
    },
    60,
  )
  expect(bars[0]?.parts.map(({ tone }) => tone)).toEqual(['good', 'bad'])
  expect(bars[0]?.parts[1]).toMatchObject({ y: 0, height: 2 })
  expect(bars[1]).toMatchObject({ total: 0, parts: [] })
})

test('no bar leaves the drawing, whatever is counted', () => {
  const counts = fc.dictionary(fc.constantFrom(...OUTCOMES, ''), fc.integer({ min: 1, max: 1_000_000 }))
  fc.assert(
    fc.property(fc.array(counts, { minLength: 1 }), (list) => {
      const bars = barsOf({ bucketMs: HOUR, buckets: list.map((found, n) => ({ from: at + n * HOUR, counts: found })) }, 60)
      for (const { parts } of bars) {
        for (const { y, height } of parts) {
          expect(y).toBeGreaterThanOrEqual(-1e-9)
          expect(height).toBeGreaterThan(0)
        }
        const [first] = parts
        if (first !== undefined) expect(first.y + first.height).toBeCloseTo(60)
      }
    }),
  )
})

test('a bar can be read aloud', () => {
  expect(barText({ from: at, counts: { denied: 3, allowed: 1_200, '': 1 } }, HOUR)).toMatch(
    /^Jan 15, 10:00\s–\s11:00: 1,200 allowed, 3 denied, 1 other$/,
  )
  expect(barText({ from: at, counts: {} }, HOUR)).toMatch(/: nothing$/)
})

test('labels are few, and no two that follow each other are the same', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 10 }),
      fc.constantFrom(1_000, 60_000, HOUR, 24 * HOUR),
      (n, most, ms) => {
        const bars = Array.from({ length: n }, (_, index) => ({ from: at + index * ms, to: at + (index + 1) * ms, total: 0, parts: [] }))
        const ticks = ticksOf(bars, most)
        expect(ticks.length).toBeLessThanOrEqual(most)
        for (const [index, { label }] of ticks.entries()) expect(label).not.toBe(ticks[index + 1]?.label)
      },
    ),
  )
})
