import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { showLines, showPath, showUntrusted } from './untrusted.ts'

describe('showUntrusted', () => {
  test.each([
    ['a right-to-left override', 'Cursor\u202Egnp.exe', 'Cursor⟨U+202E⟩gnp.exe'],
    ['an isolate', '\u2066Cursor\u2069', '⟨U+2066⟩Cursor⟨U+2069⟩'],
    ['an ANSI colour', '\x1b[31mCursor', '⟨U+001B⟩[31mCursor'],
    ['a C1 control', 'a\u009bb', 'a⟨U+009B⟩b'],
    ['a newline', 'Cursor\nverified', 'Cursor⟨U+000A⟩verified'],
    ['a line separator', 'a\u2028b', 'a⟨U+2028⟩b'],
    ['a zero-width joiner', 'Cur\u200dsor', 'Cur⟨U+200D⟩sor'],
    ['a zero-width no-break space', '\ufeffCursor', '⟨U+FEFF⟩Cursor'],
    ['a soft hyphen', 'Cur\u00adsor', 'Cur⟨U+00AD⟩sor'],
    ['a tag character', 'a\u{e0041}', 'a⟨U+E0041⟩'],
    ['a variation selector', 'a\ufe0f', 'a⟨U+FE0F⟩'],
    ['a blank that is a letter', 'a\u3164b', 'a⟨U+3164⟩b'],
    ['a blank that is a symbol', 'a\u2800b', 'a⟨U+2800⟩b'],
    ['a no-break space', 'a\u00a0b', 'a⟨U+00A0⟩b'],
    ['a private-use logo', 'a\uf8ffb', 'a⟨U+F8FF⟩b'],
    ['a lone high surrogate', 'a\ud800b', 'a⟨U+D800⟩b'],
    ['a lone low surrogate', 'a\udc00', 'a⟨U+DC00⟩'],
    ['a run of spaces', 'Cursor   verified', 'Cursor ⟨U+0020⟩⟨U+0020⟩verified'],
    ['a forged code', '⟨U+202E⟩', '⟨U+27E8⟩U+202E⟨U+27E9⟩'],
    ['a mark with nothing to stand on', '\u0301a', '⟨U+0301⟩a'],
  ])('%s becomes a visible code', (_what, hostile, shown) => {
    expect(showUntrusted(hostile)).toBe(shown)
  })

  test('ordinary names of any script stay as they are', () => {
    for (const name of ['Claude Desktop', 'github/token', 'Ćevapčići 東京', 'हिन्दी', '🦊 fox', '<img src=x onerror=alert(1)>', 'é'])
      expect(showUntrusted(name)).toBe(name)
  })

  test('marks that would paint over other lines are cut down', () => {
    expect(showUntrusted(`Z${'\u0335'.repeat(6)}`)).toBe(`Z${'\u0335'.repeat(4)}⟨U+0335⟩⟨U+0335⟩`)
  })

  test('ten thousand characters become at most fifty, and say so', () => {
    expect(showUntrusted('x'.repeat(10_000))).toBe(`${'x'.repeat(49)}…`)
    expect(showUntrusted('x'.repeat(50))).toBe('x'.repeat(50))
    expect(showUntrusted('x'.repeat(51), 10)).toBe(`${'x'.repeat(9)}…`)
  })

  test('no code is cut in half', () => {
    expect(showUntrusted('\u202e'.repeat(20), 20)).toBe('⟨U+202E⟩⟨U+202E⟩…')
  })

  test('whatever comes in, one bounded line without anything hidden comes out', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (text, max) => {
        const shown = showUntrusted(text, max)
        expect([...shown].length).toBeLessThanOrEqual(max)
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
      }),
    )
  })
})

test('a value keeps its own lines and shows what hides in them', () => {
  expect(showLines('one\ntwo\u200b\n\nfour')).toBe('one\ntwo⟨U+200B⟩\n\nfour')
})

test('a path that is too long keeps its beginning and its end', () => {
  expect(showPath('/home/you/x.backup')).toBe('/home/you/x.backup')
  const long = (name: string) => showPath(`/home/you/${'deep/'.repeat(30)}${name}`, 40)
  expect(long('one.backup')).toBe('/home/you/dee…/deep/deep/deep/one.backup')
  expect(long('one.backup')).not.toBe(long('two.backup'))
  expect(showPath(`/a/\u202e${'b'.repeat(50)}`, 20)).toBe('/a/…bbbbbbbbbbbbb')
  expect(showPath('/a\nb')).toBe('/a⟨U+000A⟩b')
})
