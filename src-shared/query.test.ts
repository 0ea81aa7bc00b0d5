import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OUTCOMES } from './audit.ts'
import { auditFilterSchema } from './rpc.ts'
import { filterOf, parseQuery, printQuery, QUERY_FIELDS, timeText, tokens, type Term } from './query.ts'

const NOW = new Date('2026-01-15T12:00:00').getTime()
const filter = (text: string) => filterOf(parseQuery(text).terms, NOW)
const local = (text: string) => new Date(text).getTime()

describe('a query', () => {
  test('reads as the filter it says', () => {
    expect(filter('client:cursor outcome:denied last:24h')).toEqual({ client: ['cursor'], outcome: ['denied'], from: NOW - 86_400_000 })
  })

  test('adds up the values of a field and leaves out what has a dash before it', () => {
    expect(filter('client:a client:b -client:c -outcome:allowed')).toEqual({
      client: ['a', 'b'],
      not: { client: ['c'], outcome: ['allowed'] },
    })
  })

  test('takes quoted values as they are, with spaces, quotes and backslashes', () => {
    expect(filter(String.raw`secret:"a \"b\" \\ c" -client:"x y"`)).toEqual({ secret: [String.raw`a "b" \ c`], not: { client: ['x y'] } })
  })

  test('searches for every other word, together', () => {
    expect(filter('reads  first')).toEqual({ text: 'reads first' })
    expect(filter('"reads  first" x')).toEqual({ text: 'reads  first x' })
    expect(filter('default: reads -foo a:b')).toEqual({ text: 'default: reads -foo a:b' })
  })

  test('knows days and moments of the own clock, and a day ends at its end', () => {
    expect(filter('from:2026-01-10 to:2026-01-12')).toEqual({ from: local('2026-01-10T00:00'), to: local('2026-01-13T00:00') })
    expect(filter('from:2026-01-10T18:30 to:2026-01-10T18:30:05')).toEqual({
      from: local('2026-01-10T18:30'),
      to: local('2026-01-10T18:30:05'),
    })
    expect(filter('last:7d from:2026-01-14')).toEqual({ from: local('2026-01-14T00:00') })
  })

  test.each([
    ['client:', 'client: needs a value'],
    ['outcome:deniet', "There is no outcome 'deniet'"],
    ['last:soon', 'last:soon is no span of time'],
    ['last:0h', 'last:0h is no span of time'],
    ['from:yesterday', 'from:yesterday is no time'],
    ['to:2026-02-30', 'to:2026-02-30 is no time'],
    ['-last:1h', 'A time cannot be left out'],
  ])('%s is told what is wrong with it', (text, fault) => {
    expect(parseQuery(text).fault).toContain(fault)
    expect(parseQuery(`client:a ${text} b`).terms).toHaveLength(2)
  })

  test('a quote that is not closed yet ends where the text does', () => {
    expect(filter('secret:"a b')).toEqual({ secret: ['a b'] })
    expect(filter('secret:"a b\\"')).toEqual({ secret: ['a b"'] })
  })
})

describe('whatever is typed', () => {
  const any = fc.string({ unit: fc.oneof(fc.constantFrom(...' "\\-:ab\n', 'client', 'last', '1h'), fc.string({ unit: 'grapheme' })) })

  test('reads the same after it was printed', () => {
    fc.assert(
      fc.property(any, (text) => {
        const { terms } = parseQuery(text)
        expect(parseQuery(printQuery(terms))).toEqual({ terms, fault: null })
      }),
      { numRuns: 2000 },
    )
  })

  test.each(['"a: "', '" a:"', '"a:\n'])('keeps the space beside a colon: %j', (text) => {
    const { terms } = parseQuery(text)
    expect(parseQuery(printQuery(terms)).terms).toEqual(terms)
  })

  test('has every character in a word or between words', () => {
    fc.assert(
      fc.property(any, (text) => {
        let rest = text
        for (const { from, to } of tokens(text).toReversed()) rest = rest.slice(0, from) + rest.slice(to)
        expect(rest.trim()).toBe('')
      }),
    )
  })

  test('makes a filter that the host accepts, if it is not too long', () => {
    fc.assert(
      fc.property(any, (text) => {
        const asked = filterOf(parseQuery(text.slice(0, 200)).terms, NOW)
        if ((asked.text?.length ?? 0) <= 200) expect(auditFilterSchema.safeParse(asked).success).toBe(true)
      }),
    )
  })
})

const word = fc.string({ unit: 'grapheme', minLength: 1 })
const term: fc.Arbitrary<Term> = fc.oneof(
  fc.record({
    kind: fc.constant('field' as const),
    field: fc.constantFrom(...QUERY_FIELDS.filter((field) => field !== 'outcome')),
    value: word,
    not: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('field' as const),
    field: fc.constant('outcome' as const),
    value: fc.constantFrom(...OUTCOMES),
    not: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('time' as const), key: fc.constant('last' as const), value: fc.constantFrom('1h', '30m', '7d') }),
  fc.record({ kind: fc.constant('text' as const), text: word }),
)

test('whatever is printed reads as what it was', () => {
  fc.assert(
    fc.property(fc.array(term), (terms) => {
      expect(parseQuery(printQuery(terms))).toEqual({ terms, fault: null })
    }),
    { numRuns: 2000 },
  )
})

test('a moment is written so that it reads as the same second', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
      // An hour that the clock passes twice cannot be told apart by its name.
      const read = filter(`from:${timeText(seconds * 1000)}`).from ?? Number.NaN
      expect([0, 3_600_000, -3_600_000]).toContain(read - seconds * 1000)
    }),
  )
})
