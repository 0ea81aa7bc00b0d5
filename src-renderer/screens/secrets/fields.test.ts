import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayOf, endOfDay, expiryState, tagsFault, tagsOf } from './fields.ts'

test.each([
  ['', []],
  [' prod , db,prod,, ', ['prod', 'db']],
  ['one two', ['one two']],
])('tags are typed between commas: %j', (text, tags) => {
  expect(tagsOf(text)).toEqual(tags)
})

test('too many tags, and tags that are too long, are told', () => {
  expect(tagsFault(['a'])).toBeNull()
  expect(tagsFault(['x'.repeat(65)])).toContain('64 characters')
  expect(tagsFault(Array.from({ length: 33 }, (_, index) => String(index)))).toContain('32 tags')
})

test('a day that is chosen is the day that is shown', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('1971-01-01'), max: new Date('2999-01-01'), noInvalidDate: true }), (date) => {
      const day = dayOf(date.getTime())
      expect(dayOf(endOfDay(day))).toBe(day)
      expect(endOfDay(day)).toBeGreaterThanOrEqual(date.getTime())
    }),
  )
  expect([endOfDay(''), dayOf(null), endOfDay('nonsense')]).toEqual([null, '', null])
})

test('a secret is expired once its day is over', () => {
  const end = endOfDay('2026-03-01') ?? 0
  expect(expiryState(end, end - 1)).toBe('soon')
  expect(expiryState(end, end)).toBe('past')
  expect(expiryState(end, end - 15 * 86_400_000)).toBe('later')
  expect(expiryState(null, 0)).toBe('none')
})
