import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_VALUE_BYTES, isSecretName, nameFault, newNameFault, utf8Bytes, valueFault } from './names.ts'

describe('names', () => {
  test.each(['a', 'A', '0', 'prod/db', 'a.b', 'a..b', 'a_b', 'user@host', 'x-1', 'a/', 'a/.hidden', 'a/...', 'a'.repeat(128)])(
    'takes %s as it is',
    (name) => {
      expect(nameFault(name)).toBeNull()
      expect(isSecretName(name)).toBe(true)
    },
  )

  test.each([
    ['', 'must not be empty'],
    ['a'.repeat(129), 'must be at most 128 characters'],
    ['.a', 'must start with a letter or digit'],
    ['-a', 'must start with a letter or digit'],
    ['_a', 'must start with a letter or digit'],
    ['@a', 'must start with a letter or digit'],
    ['/a', 'must start with a letter or digit'],
    ['../x', 'must start with a letter or digit'],
    ['a b', 'must start with a letter or digit'],
    ['a\n', 'must start with a letter or digit'],
    ['a\0', 'must start with a letter or digit'],
    ['a\\b', 'must start with a letter or digit'],
    ['a:b', 'must start with a letter or digit'],
    ['a#1', 'must start with a letter or digit'],
    ['ä', 'must start with a letter or digit'],
    ['pаyments', 'must start with a letter or digit'],
    ['a\u202eb', 'must start with a letter or digit'],
    ['😀', 'must start with a letter or digit'],
    ['a//b', 'must not contain //'],
    ['a//', 'must not contain //'],
    ['a/./b', 'must not contain . or .. segments'],
    ['a/../b', 'must not contain . or .. segments'],
    ['a/.', 'must not contain . or .. segments'],
    ['a/..', 'must not contain . or .. segments'],
  ])('refuses %j with a reason', (name, reason) => {
    expect(nameFault(name)).toContain(reason)
    expect(isSecretName(name)).toBe(false)
  })

  test('a new name may not end in /, and one that was given before is still a name', () => {
    expect(newNameFault('prod/')).toBe('must not end in /')
    expect(newNameFault('prod/db')).toBeNull()
    expect(newNameFault('a//')).toBe('must not contain //')
    expect(isSecretName('prod/')).toBe(true)
  })

  test('a name that is taken is plain: letters, digits and . _ @ / - only, and no way out of its folder', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 140 }), fc.string({ unit: fc.constantFrom(...'aZ0._@/-'), maxLength: 140 })),
        (name) => {
          fc.pre(isSecretName(name))
          expect(name).toMatch(/^[A-Za-z0-9][\w.@/-]*$/)
          expect(name.length).toBeLessThanOrEqual(128)
          expect(new URL(name, 'file:///vault/').pathname).toBe(`/vault/${name}`)
        },
      ),
    )
  })
})

describe('values', () => {
  test.each([
    ['one byte', 'x'],
    ['newlines, quotes and tabs', 'a\r\n"b"\t\'c\''],
    ['emoji', '🔑🗝️👩‍💻'],
    ['exactly 64 KiB of ASCII', 'x'.repeat(MAX_VALUE_BYTES)],
    ['exactly 64 KiB of two-byte characters', 'é'.repeat(MAX_VALUE_BYTES / 2)],
    ['exactly 64 KiB of four-byte characters', '🔑'.repeat(MAX_VALUE_BYTES / 4)],
  ])('takes %s', (_, value) => {
    expect(valueFault(value)).toBeNull()
  })

  test.each([
    ['nothing at all', '', 'must not be empty'],
    ['a NUL', 'a\0b', 'must not contain NUL'],
    ['a lone high surrogate', 'a\ud83d', 'must be well-formed Unicode'],
    ['a lone low surrogate', '\udd11a', 'must be well-formed Unicode'],
    ['one byte more than 64 KiB', 'x'.repeat(MAX_VALUE_BYTES + 1), 'must be at most 65536 bytes'],
    ['64 KiB + 1 that is fewer characters than that', `${'🔑'.repeat(MAX_VALUE_BYTES / 4)}x`, 'must be at most 65536 bytes'],
  ])('refuses %s', (_, value, reason) => {
    expect(valueFault(value)).toBe(reason)
  })

  test('the reason for a refusal never repeats the value', () => {
    expect(valueFault('hunter2\0')).not.toContain('hunter2')
    expect(nameFault('hunter2 ')).not.toContain('hunter2')
  })

  test('the size of a value is the size of its UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(utf8Bytes(text)).toBe(Buffer.byteLength(text, 'utf8'))
      }),
    )
  })
})
