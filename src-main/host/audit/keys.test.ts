import { expect, test } from 'vitest'
import { callNumber, ExpectedKeys, shapeNumber } from './keys.ts'

test('a key is taken once, by its own row, and by no key that only looks like it', () => {
  const tails = ['00000001', 'ffffffff', 'fffffffe', '0000000A', 'call-17', '', '0000001', '🔑']
  const calls = new ExpectedKeys(10, callNumber)
  for (const [at, tail] of tails.entries()) calls.expect(10 + at * 1000, tail)
  for (const [at, tail] of tails.entries()) {
    const seq = 10 + at * 1000
    for (const other of [...tails.filter((text) => text !== tail), 1, null, undefined]) expect(calls.take(seq, other)).toBe(false)
    expect(calls.take(seq + 1, tail)).toBe(false)
    expect(calls.take(seq, tail)).toBe(true)
    expect(calls.take(seq, tail)).toBe(false)
  }
  expect(calls.count).toBe(tails.length)
})

test('a shape is a number, however large, and never a text', () => {
  const shapes = new ExpectedKeys(1, shapeNumber)
  const ids = [0, 7, 2 ** 32 - 1, 2 ** 32 + 7, -1]
  for (const [at, id] of ids.entries()) shapes.expect(at + 1, id)
  for (const [at, id] of ids.entries()) {
    for (const other of [...ids.filter((number) => number !== id), String(id), '00000007', null])
      expect(shapes.take(at + 1, other)).toBe(false)
    expect(shapes.take(at + 1, id)).toBe(true)
  }
})
