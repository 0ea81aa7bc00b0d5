import { expect, test } from 'vitest'
import { newCallId } from './call.ts'

test('ids of calls are like no other, and their tails count up, so that the index over them grows at its end', () => {
  const ids = Array.from({ length: 1000 }, newCallId)
  expect(new Set(ids.map((id) => id.slice(0, -8))).size).toBe(1000)
  const tails = ids.map((id) => Number.parseInt(id.slice(-8), 16))
  expect(tails).toEqual(tails.map((_, n) => (tails[0] ?? 0) + n))
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/)
})
