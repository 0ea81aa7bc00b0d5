import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchParent } from './parent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a parent that is gone is told of once, within five seconds', () => {
  let parent = 4711
  const gone = vi.fn<() => void>()
  watchParent(gone, () => parent)
  vi.advanceTimersByTime(60_000)
  expect(gone).not.toHaveBeenCalled()
  parent = 1
  vi.advanceTimersByTime(4000)
  expect(gone).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(60_000)
  expect(gone).toHaveBeenCalledTimes(1)
})

test('a launcher that was gone before we began is not missed', () => {
  const gone = vi.fn<() => void>()
  watchParent(gone, () => 1)
  vi.advanceTimersByTime(60_000)
  expect(gone).not.toHaveBeenCalled()
})
