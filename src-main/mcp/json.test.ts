import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './json.ts'

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

/** The depth of a value, for comparison. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

describe('parseJson', () => {
  it('takes 32 levels and refuses 33', () => {
    expect(parseJson(nested(32)).ok).toBe(true)
    expect(parseJson(nested(33))).toEqual({ ok: false, fault: 'too deep' })
  })

  it('does not count brackets inside strings, escaped quotes included', () => {
    const text = JSON.stringify({ a: '['.repeat(100), 'b\\"[{': `\\"${'{'.repeat(100)}\\` })
    expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) })
  })

  it('refuses exactly what nests deeper than the limit', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat({ max: 8 }), (value, max) => {
        expect(parseJson(JSON.stringify(value), max).ok).toBe(depthOf(value) <= max)
      }),
    )
  })

  it('finds the end of every string, whatever is escaped in it', () => {
    const tricky = fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', 'a') })
    fc.assert(
      fc.property(fc.array(tricky), (strings) => {
        expect(parseJson(JSON.stringify(strings), 1)).toEqual({ ok: true, value: strings })
        expect(parseJson(JSON.stringify([...strings, []]), 1).ok).toBe(false)
      }),
    )
  })

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', '}', ',') })),
        (text) => {
          expect(typeof parseJson(text).ok).toBe('boolean')
        },
      ),
    )
  })

  it('refuses half a million levels without building them', () => {
    const text = `{"a":${nested(500_000)}}`
    expect(parseJson(text)).toEqual({ ok: false, fault: 'too deep' })
  })
})
