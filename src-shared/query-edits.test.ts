import { describe, expect, test } from 'vitest'
import type { AuditFacets } from './audit.ts'
import { choiceOf, choose, suggest, within } from './query-edits.ts'

const facets: AuditFacets = {
  client: [
    { value: 'cursor', count: 7 },
    { value: 'claude desktop', count: 2 },
  ],
  tool: [{ value: 'get_secret', count: 9 }],
  secret: [{ value: 'prod/cursor-token', count: 1 }],
  outcome: [{ value: 'denied', count: 3 }],
  event: [],
}
const suggested = (text: string, caret = text.length) => suggest(text, caret, facets).list.map((one) => one.text)

describe('a click', () => {
  test('asks for a value, leaves it out, and takes that back', () => {
    const only = choose('last:24h', 'client', 'claude desktop', 'only')
    expect(only).toBe('last:24h client:"claude desktop"')
    expect(choiceOf(only, 'client', 'claude desktop')).toBe('only')
    const not = choose(only, 'client', 'claude desktop', 'not')
    expect(not).toBe('last:24h -client:"claude desktop"')
    expect(choiceOf(not, 'client', 'claude desktop')).toBe('not')
    expect(choose(not, 'client', 'claude desktop', null)).toBe('last:24h')
    expect(choiceOf('last:24h', 'client', 'claude desktop')).toBeNull()
  })

  test('on a time takes the place of every other time', () => {
    const from = new Date('2026-01-15T10:00').getTime()
    const zoomed = within('a last:24h client:b', { from, to: from + 90_000 })
    expect(zoomed).toBe('a client:b from:2026-01-15T10:00 to:2026-01-15T10:01:30')
    expect(within(zoomed, null)).toBe('a client:b')
  })
})

describe('suggestions', () => {
  test('begin with the fields', () => {
    expect(suggested('')).toEqual(['client:', 'tool:', 'secret:', 'outcome:', 'event:', 'last:', 'from:', 'to:'])
    expect(suggested('x -')).toEqual(['-client:', '-tool:', '-secret:', '-outcome:', '-event:'])
  })

  test('are the values of a field, quoted where they must be, those that begin so first', () => {
    expect(suggested('client:c')).toEqual(['client:cursor', 'client:"claude desktop"'])
    expect(suggested('-client:"cl')).toEqual(['-client:"claude desktop"'])
    expect(suggested('outcome:de')).toEqual(['outcome:denied'])
    expect(suggested('outcome:al')).toEqual(['outcome:allowed'])
  })

  test('find the field of a value whose beginning was typed', () => {
    expect(suggested('cur')).toEqual(['client:cursor', 'secret:prod/cursor-token'])
  })

  test('take the place of the word at the caret alone', () => {
    expect(suggest('last:24h cli foo', 12, facets)).toMatchObject({ from: 9, to: 12, list: [{ text: 'client:', count: null }] })
  })

  test('do not offer what stands there already', () => {
    expect(suggested('last:24h')).toEqual([])
    expect(suggested('last:')).toEqual(['last:15m', 'last:1h', 'last:24h', 'last:7d', 'last:30d'])
  })
})
