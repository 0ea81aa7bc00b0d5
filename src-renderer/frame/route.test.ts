import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashOf, parseRoute, SCREEN_NAMES } from './route.ts'

test('an address names a screen and its state', () => {
  const { screen, params } = parseRoute('#/audit?q=client%3Acursor+%3F')
  expect(screen).toBe('audit')
  expect(params.get('q')).toBe('client:cursor ?')
})

test.each(['', '#', '#/', '#/nowhere', '#/audits', '#/__proto__'])('%j names no screen', (hash) => {
  expect(parseRoute(hash).screen).toBeNull()
})

test('whatever is put into an address is read from it again', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SCREEN_NAMES), fc.string({ unit: 'grapheme', minLength: 1 }), (name, text) => {
      const { screen, params } = parseRoute(hashOf(name, { q: text, empty: '' }))
      expect([screen, params.get('q'), params.has('empty')]).toEqual([name, text, false])
    }),
  )
})
