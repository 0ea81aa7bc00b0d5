import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { globFault, matches, matchesAny } from './glob.ts'

/** The reference: what a pattern means, by trying everything. Slow on purpose, and free of the code under test. */
function means(pattern: string, name: string): boolean {
  if (pattern === '') return name === ''
  const [head, rest] = [pattern.slice(0, 1), pattern.slice(1)]
  if (head === '*') return means(rest, name) || (name !== '' && means(pattern, name.slice(1)))
  if (head === '{') {
    const [choices, after] = [rest.slice(0, rest.indexOf('}')), rest.slice(rest.indexOf('}') + 1)]
    return choices.split(',').some((choice) => means(choice + after, name))
  }
  if (name === '') return false
  if (head === '[')
    return (
      new RegExp(`^${pattern.slice(0, pattern.indexOf(']') + 1).replace('[!', '[^')}`).test(name) &&
      means(rest.slice(rest.indexOf(']') + 1), name.slice(1))
    )
  return (head === '?' || head === name[0]) && means(rest, name.slice(1))
}

// Few letters, so that random names and random patterns meet often.
const letters = fc.constantFrom('a', 'b', 'c', '/', '-')
const name = fc.string({ unit: letters, maxLength: 8 })
const set = fc.constantFrom('[abc]', '[a-c]', '[!a]', '[!a-b]', '[/b]', '[a-]', '[!-]')
const piece = fc.oneof({ weight: 4, arbitrary: letters }, fc.constantFrom('*', '?'), set)
const run = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''))
const choice = fc.array(run, { minLength: 1, maxLength: 3 }).map((choices) => `{${choices.join(',')}}`)
const pattern = fc.array(fc.oneof({ weight: 5, arbitrary: piece }, choice), { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))

describe('matching', () => {
  test('equals the reference for every pattern and name', () => {
    fc.assert(
      fc.property(pattern, name, (pattern, name) => {
        expect(globFault(pattern)).toBeNull()
        expect(matches(pattern, name)).toBe(means(pattern, name))
      }),
      { numRuns: 5000 },
    )
  })

  test.each([
    ['*', 'anything/at/all', true],
    ['prod/*', 'prod/db', true],
    ['prod/*', 'prod/db/replica', true],
    ['prod/*', 'prod/', true],
    ['prod/*', 'prod', false],
    ['prod', 'prod/db', false],
    ['prod', 'PROD', false],
    ['db-?', 'db-1', true],
    ['db-?', 'db-', false],
    ['db-?', 'db-12', false],
    ['db-[0-9]', 'db-7', true],
    ['db-[!0-9]', 'db-7', false],
    ['db-[!0-9]', 'db-x', true],
    ['db-[]', 'db-]', false],
    ['{dev,test}/*', 'test/key', true],
    ['{dev,test}/*', 'prod/key', false],
    ['key{,-old}', 'key', true],
    ['key{,-old}', 'key-old', true],
    ['{*,?}x', 'x', true],
    ['a.b', 'axb', false],
    ['a+', 'aa', false],
    ['(a|b)', 'a', false],
    ['^a$', 'a', false],
    ['a', '', false],
    ['*', '', true],
    ['?', '😀', true],
    ['[😀-😂]', '😁', true],
    ['[\u{ff21}-\u{1f600}]', '\u{ff22}', true],
    ['[!\u{ff21}-\u{1f600}]', '\u{1d400}', false],
  ])('%s and %s: %s', (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected)
  })

  test('a list of patterns names the one that matched, and none when none did', () => {
    expect(matchesAny(['dev/*', 'prod/*'], 'prod/a')).toBe('prod/*')
    expect(matchesAny(['dev/*', 'prod/*'], 'other')).toBeNull()
    expect(matchesAny([], 'a')).toBeNull()
  })

  test('a faulty pattern matches nothing, not even itself', () => {
    expect(matches('[a', '[a')).toBe(false)
    expect(matchesAny(['{', '*'], '{')).toBe('*')
  })
})

describe('time', () => {
  // Backtracking would need longer than the age of the universe for any of these; the suite's own time limit is the judge.
  test.each([
    ['stars', `${'a*'.repeat(127)}b`],
    ['runs of stars', `${'*'.repeat(255)}b`],
    ['choices', `${'{a,aa,*}'.repeat(31)}b`],
    ['choices of stars', `${'{*,*}'.repeat(51)}b`],
    ['empty choices', `${'{,}'.repeat(85)}b`],
    ['question marks and stars', `${'?*'.repeat(127)}b`],
  ])('a pattern full of %s is answered at once', (_, pattern) => {
    expect(globFault(pattern)).toBeNull()
    expect(matches(pattern, 'a'.repeat(128))).toBe(false)
    expect(matches(pattern, `${'a'.repeat(127)}c`)).toBe(false)
  })

  test('ten times the name takes about ten times as long, whatever the pattern', () => {
    const worst = `${'{*a,*}'.repeat(40)}b`
    const time = (length: number) => {
      const began = performance.now()
      matches(worst, 'a'.repeat(length))
      return performance.now() - began
    }
    time(2000)
    const [short, long] = [Math.min(time(2000), time(2000), time(2000)), Math.min(time(20_000), time(20_000), time(20_000))]
    // Quadratic would be a hundred times; half of that leaves room for a busy machine.
    expect(long / short).toBeLessThan(50)
  })
})

describe('faults', () => {
  test.each([
    ['', 0, 'must not be empty'],
    ['a'.repeat(257), 256, 'at most 256'],
    ['ab[c', 2, 'never closed'],
    ['ab[]', 2, 'must not be empty'],
    ['ab[!]', 2, 'must not be empty'],
    ['a[z-a]', 2, 'runs backwards'],
    ['[\u{1f600}-\u{ff21}]', 1, 'runs backwards'],
    ['ab]', 2, 'closes nothing'],
    ['a{b', 1, 'never closed'],
    ['a{b,c', 1, 'never closed'],
    ['ab}', 2, 'closes nothing'],
    ['a{b,{c}}', 4, 'cannot be nested'],
    ['a{b,[c}', 4, 'never closed'],
  ])('%j is refused at %i', (pattern, position, reason) => {
    expect(globFault(pattern)).toEqual({ position, message: expect.stringContaining(reason) })
  })

  test('whatever a person types is a pattern or a fault within it, never an exception', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab*?[]!-{},/😀'), maxLength: 20 }), (typed) => {
        const fault = globFault(typed)
        if (fault !== null) {
          expect(fault.position).toBeGreaterThanOrEqual(0)
          expect(fault.position).toBeLessThanOrEqual([...typed].length)
        }
        expect(matches(typed, 'a/b')).toBeTypeOf('boolean')
      }),
      { numRuns: 2000 },
    )
  })
})
