import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lookalikeMark } from './lookalikes.ts'

test.each([
  ['a Cyrillic letter among Latin ones', 'Cursоr', 'mixes Latin and Cyrillic letters'],
  ['a Greek letter among Latin ones', 'Claudε', 'mixes Latin and Greek letters'],
  ['a Cyrillic letter among Greek ones', 'λаμ', 'mixes Cyrillic and Greek letters'],
  ['letters as wide as a CJK one', 'Ｃursor', 'has letters in an unusual form'],
  ['letters from mathematics', '𝐂ursor', 'has letters in an unusual form'],
])('%s is marked by itself', (_what, name, mark) => {
  expect(lookalikeMark(name)).toBe(mark)
})

test.each(['Cursor', 'Claude Desktop', 'Курсор', 'Курсор для Windows', 'Größe', 'カーソル Cursor', 'naïve-client 1.2', '', '🔑 keys'])(
  'an honest name is not marked: %s',
  (name) => expect(lookalikeMark(name, ['Cursor', 'Claude Desktop'])).toBeNull(),
)

test.each([
  ['СОРЕ', 'COPE'],
  ['CIaude', 'Claude'],
  ['C1aude', 'Claude'],
  ['Zed', 'Ζed'],
  ['g00se', 'goose'],
  ['CIaude 1.4.2', 'Claude'],
])('%j, which looks like the known name %j, says so', (name, known) => {
  expect(lookalikeMark(name, [known])).not.toBeNull()
  expect(lookalikeMark(name, [known]) ?? '').toMatch(/looks like|mixes/)
})

test('the name itself, in whatever case and with its version, is no look-alike of itself', () => {
  for (const name of ['Cursor', 'cursor', 'CURSOR', 'Cursor 1.2.3', 'cursor 0.45']) expect(lookalikeMark(name, ['Cursor'])).toBeNull()
})

test('a mark holds nothing of the name it is about', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      expect(lookalikeMark(name) ?? '').toMatch(/^[A-Za-z ]*$/)
    }),
  )
})
