import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonical } from './canonical.ts'

describe('the canonical text of a value', () => {
  test('does not depend on the order in which keys were set', () => {
    expect(canonical({ b: 1, a: [true, null], 10: 'x', 9: 'y' })).toBe('{"10":"x","9":"y","a":[true,null],"b":1}')
    expect(canonical({ 9: 'y', a: [true, null], b: 1, 10: 'x' })).toBe('{"10":"x","9":"y","a":[true,null],"b":1}')
  })

  test('is injective: two values have one text only if they are the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        // JSON knows one zero.
        expect(canonical(a) === canonical(b)).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)))
      }),
    )
  })

  test('reads back as the value, so nothing is lost', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false, maxDepth: 6 }), (value) => {
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('survives UTF-8: also a lone surrogate and a NUL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.constantFrom('\ud800', '\udc00', '\0', '"', '\\', 'é')), (text, odd) => {
        const value = [text + odd.join('')]
        expect(JSON.parse(new TextDecoder().decode(new TextEncoder().encode(canonical(value))))).toEqual(value)
      }),
    )
  })

  test('does not let the border between two strings move', () => {
    expect(canonical(['a","b'])).not.toBe(canonical(['a', 'b']))
    expect(canonical({ a: 'x', b: 'y' })).not.toBe(canonical({ a: 'x","b":"y' }))
  })

  test.each([
    [undefined],
    [[undefined]],
    [{ a: undefined }],
    [Number.NaN],
    [Infinity],
    [1n],
    [() => 1],
    [new Date(0)],
    [new Map()],
    [Array(2)],
  ])('is refused for what JSON cannot carry: %s', (value) => {
    expect(() => canonical(value)).toThrow(TypeError)
  })
})

/** Told in another way than the code under test does: rebuild every object with its keys in order, as pairs. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ['array', value.map(sorted)]
  if (typeof value !== 'object' || value === null) return value
  const keys = Object.keys(value).toSorted()
  return ['object', keys.map((key) => [key, sorted(Object.getOwnPropertyDescriptor(value, key)?.value)])]
}
