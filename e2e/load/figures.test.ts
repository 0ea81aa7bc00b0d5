import { expect, it } from 'vitest'
import { growthByQuarter, least, slopeOf, spreadOf } from './figures.ts'
import { newSheet } from './sheet.ts'

/** Always the same noise, between -1 and 1. */
const noise = (n: number) => (Math.imul(n + 1, 0x9e3779b1) >>> 0) / 2 ** 31 - 1

it('percentiles are values that occurred', () => {
  const values = Array.from({ length: 1000 }, (_, n) => 1000 - n)
  expect(spreadOf(values)).toEqual({ count: 1000, p50: 501, p95: 951, p99: 991, max: 1000 })
  expect(spreadOf([7])).toEqual({ count: 1, p50: 7, p95: 7, p99: 7, max: 7 })
})

it('growth under noise is growth, and noise alone is none', () => {
  const samples = (growth: number) => Array.from({ length: 600 }, (_, n) => ({ x: n, y: 100 + growth * n + 5 * noise(n) }))
  expect(slopeOf(samples(0.1)).low).toBeGreaterThan(0)
  expect(slopeOf(samples(0)).low).toBeLessThan(0)
  expect(slopeOf(samples(0)).high).toBeGreaterThan(0)
  expect(slopeOf(samples(-0.1)).high).toBeLessThan(0)
})

it('what comes and goes does not hide a leak, nor pass for one', () => {
  const samples = (growth: number) =>
    Array.from({ length: 600 }, (_, n) => ({ x: n, y: 100 + growth * n + (n % 10 < 4 ? 80 + 60 * noise(Math.floor(n / 10)) : 0) }))
  expect(slopeOf(samples(0), least)).toMatchObject({ slope: 0, low: 0, high: 0 })
  expect(slopeOf(samples(0.05), least).slope).toBeCloseTo(0.05)
  expect(slopeOf(samples(0.05), least).low).toBeGreaterThan(0.04)
})

it('growth quarter by quarter tells what levels off from what leaks', () => {
  const samples = (y: (n: number) => number) => Array.from({ length: 400 }, (_, n) => y(n) + (n % 10 < 4 ? 80 : 0))
  expect(
    growthByQuarter(
      samples((n) => n),
      least,
    ),
  ).toEqual([100, 100, 100])
  const [first = 0, second = 0, third = 0] = growthByQuarter(
    samples((n) => 60 * (1 - Math.exp(-n / 100))),
    least,
  )
  expect(first).toBeGreaterThan(20)
  expect(second).toBeLessThan(first / 2)
  expect(third).toBeLessThan(second / 2)
})

it('a count that is off fails, a time only when it is ten times over', () => {
  const sheet = newSheet()
  sheet.exactly('answers', 10, 10)
  sheet.atMost('time', 5, 49, 'ms')
  sheet.atLeast('rate', 2000, 201, 'a second')
  expect(sheet.rows.map(({ met }) => met)).toEqual([true, false, false])
  expect(sheet.broken).toEqual([])
  sheet.exactly('answers', 10, 9)
  sheet.atMost('time', 5, 51, 'ms')
  sheet.atLeast('rate', 2000, 199, 'a second')
  sheet.atMost('nothing', 5, Number.NaN, 'ms')
  expect(sheet.broken).toHaveLength(4)
})
