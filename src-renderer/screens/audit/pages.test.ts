import { expect, test, vi } from 'vitest'
import { createPages } from './pages.ts'

/** A list of numbers whose pages come when they are let through. */
function list(rows: number) {
  const asked: { skip: number; answer: (by?: number) => Promise<void>; refuse: () => Promise<void> }[] = []
  const failed = vi.fn<(error: unknown) => void>()
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve))
  const pages = createPages<number>({
    rows,
    failed,
    load: (skip, limit) => {
      const { promise, resolve, reject } = Promise.withResolvers<number[]>()
      const numbers = (by: number) => Array.from({ length: Math.min(limit, rows - skip) }, (_, n) => by + skip + n)
      asked.push({
        skip,
        answer: (by = 0) => (resolve(numbers(by)), settle()),
        refuse: () => (reject(new Error('no')), settle()),
      })
      return promise
    },
  })
  const take = async (by?: number) => {
    const skips: number[] = []
    for (let next = asked.shift(); next !== undefined; next = asked.shift()) {
      skips.push(next.skip)
      await next.answer(by)
    }
    return skips
  }
  return { pages, asked, take, failed }
}

test('what is in view comes first, then a page on either side', async () => {
  const { pages, take } = list(1_000)
  pages.want(250, 270)
  expect(await take()).toEqual([200, 300, 100])
  expect([100, 250, 399].map(pages.rowAt)).toEqual([100, 250, 399])
  expect(pages.rowAt(400)).toBeUndefined()
})

test('nothing is asked twice, and nothing beyond the ends', async () => {
  const { pages, take } = list(150)
  pages.want(0, 20)
  pages.want(1, 21)
  expect(await take()).toEqual([0, 100])
  pages.want(130, 150)
  expect(await take()).toEqual([])
})

test('pages that were scrolled past are not asked for', async () => {
  const { pages, asked, take } = list(1_000_000)
  for (let row = 0; row < 500_000; row += 10_000) pages.want(row, row + 20)
  expect(asked).toHaveLength(2)
  pages.want(700_000, 700_020)
  expect(await take()).toEqual([0, 100, 700_000, 700_100, 699_900])
})

test('a renewal shows what was there until the new is', async () => {
  const { pages, take } = list(1_000)
  pages.want(0, 20)
  await take()
  const before = pages.version()
  pages.renew()
  expect(pages.rowAt(5)).toBe(5)
  expect(pages.rowAt(105)).toBeUndefined()
  expect(await take(7_000)).toEqual([0, 100])
  expect([pages.rowAt(5), pages.version() > before]).toEqual([7_005, true])
})

test('a page that could not be had is asked for again at the next move, not at once', async () => {
  const { pages, asked, failed, take } = list(50)
  pages.want(0, 20)
  await asked.shift()?.refuse()
  expect([failed.mock.calls.length, asked.length]).toEqual([1, 0])
  pages.want(1, 21)
  expect(await take()).toEqual([0])
})

test('a long journey keeps few pages', async () => {
  const { pages, take } = list(100_000)
  for (let row = 0; row < 10_000; row += 100) {
    pages.want(row, row + 20)
    await take()
  }
  const kept = Array.from({ length: 100 }, (_, page) => pages.rowAt(page * 100)).filter((row) => row !== undefined)
  expect(kept.length).toBeLessThanOrEqual(24)
  expect(pages.rowAt(9_950)).toBe(9_950)
})

test('what comes after the list is closed is dropped', async () => {
  const { pages, asked } = list(100)
  pages.want(0, 20)
  pages.close()
  await asked.shift()?.answer()
  expect(pages.rowAt(0)).toBeUndefined()
})
