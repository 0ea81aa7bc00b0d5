import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ALPHABETS, generate, strength, type AlphabetName } from './generate.ts'

const names = Object.keys(ALPHABETS) as AlphabetName[]
const counting = (count: number) => Uint8Array.from({ length: count }, (_, index) => index % 256)

test('a generated value has the length and the characters that were asked for', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 600 }), fc.constantFrom(...names), (length, name) => {
      const value = generate(length, name, (count) => crypto.getRandomValues(new Uint8Array(count)))
      expect(value).toHaveLength(length)
      expect([...value].every((char) => ALPHABETS[name].includes(char))).toBe(true)
    }),
  )
})

test.each(names)('every character of "%s" is equally likely', (name) => {
  const size = ALPHABETS[name].length
  // Every byte once: the fair ones make whole rounds of the alphabet, and the rest is thrown away.
  const rounds = Math.floor(256 / size) * size
  const counts = new Map<string, number>()
  let given = false
  const value = generate(rounds, name, (count) => {
    if (given) return counting(count)
    given = true
    return counting(256)
  })
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1)
  expect(new Set(counts.values())).toEqual(new Set([rounds / size]))
})

test('no alphabet has a character twice', () => {
  for (const name of names) expect(new Set(ALPHABETS[name]).size).toBe(ALPHABETS[name].length)
})

test('strength is told in whole bits', () => {
  expect(strength(32, 'hexadecimal')).toBe(128)
  expect(strength(10, 'digits')).toBe(33)
})
