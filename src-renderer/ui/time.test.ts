import { expect, test } from 'vitest'
import { ago, ahead, countdown } from './time.ts'

test.each([
  [0, 'just now'],
  [59_000, 'just now'],
  [-5000, 'just now'],
  [60_000, '1 min. ago'],
  [3_600_000, '1 hr. ago'],
  [86_400_000, 'yesterday'],
  [3 * 86_400_000, '3 days ago'],
])('%i ms ago reads "%s"', (ms, text) => {
  expect(ago(1_000_000_000_000 - ms, 1_000_000_000_000)).toBe(text)
})

test.each([
  [102_000, '1:42'],
  [101_001, '1:42'],
  [600_000, '10:00'],
  [1, '0:01'],
  [0, '0:00'],
  [-1000, '0:00'],
])('%i ms left reads %s', (ms, text) => {
  expect(countdown(ms)).toBe(text)
})

test.each([
  [-1, 'now'],
  [30_000, 'in a moment'],
  [120_000, 'in 2 min.'],
  [86_400_000, 'tomorrow'],
  [12.9 * 86_400_000, 'in 12 days'],
])('in %i ms reads "%s"', (ms, text) => {
  expect(ahead(1_000_000_000_000 + ms, 1_000_000_000_000)).toBe(text)
})
