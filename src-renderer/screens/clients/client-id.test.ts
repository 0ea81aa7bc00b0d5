import fc from 'fast-check'
import { expect, test } from 'vitest'
import { idFault, idFor } from './client-id.ts'

test.each([
  ['Cursor', [], 'cursor'],
  ['Claude Desktop (work)', [], 'claude-desktop-work'],
  ['Éditeur', [], 'editeur'],
  ['Cursor', ['cursor', 'cursor-2'], 'cursor-3'],
  ['日本', [], ''],
])('%s gets the id that is free', (name, taken, id) => {
  expect(idFor(name, taken)).toBe(id)
})

test('whatever the name, the id is none or a good one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (name) => {
      const id = idFor(name, ['a'])
      expect(id === '' ? null : idFault(id, ['a'])).toBeNull()
    }),
  )
})

test('an id that is taken or is none says so', () => {
  expect(idFault('cursor', ['cursor'])).toContain('There is a client')
  expect(idFault('Cursor', [])).toContain('lower-case')
})
