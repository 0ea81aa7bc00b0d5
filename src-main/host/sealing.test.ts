import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveKey, newKdfParams, open, seal, SealError } from './sealing.ts'

const key = randomBytes(32)
const sealText = (parts: string[], text: string) => seal(key, parts, Buffer.from(text))

describe('a sealed box', () => {
  test('gives back exactly what was sealed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.array(fc.string(), { maxLength: 5 }), (content, parts) => {
        expect(open(key, parts, seal(key, parts, content))).toEqual(Buffer.from(content))
      }),
      { numRuns: 200 },
    )
  })

  test('gives back text of any kind and size up to a value’s limit and beyond', () => {
    for (const text of ['x', '', 'line\r\nline', '“quotes” \' "', '🔑'.repeat(16_384), 'a'.repeat(200_000)]) {
      expect(open(key, ['f', 'p'], sealText(['f', 'p'], text)).toString()).toBe(text)
    }
  })

  test('does not open under another key, format or place', () => {
    const box = sealText(['version 1', 'prod/db', '7'], 'value')
    const others = [
      () => open(randomBytes(32), ['version 1', 'prod/db', '7'], box),
      () => open(key, ['version 2', 'prod/db', '7'], box),
      () => open(key, ['version 1', 'prod/d', 'b7'], box),
      () => open(key, ['version 1', 'prod/db'], box),
      () => open(key, ['version 1', 'prod/db', '7', ''], box),
    ]
    for (const open of others) expect(open).toThrow(SealError)
  })

  test('does not open when any single byte of it was changed or cut off', () => {
    const box = sealText(['f'], 'value')
    for (let at = 0; at < box.length; at++) {
      const changed = Buffer.from(box)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => open(key, ['f'], changed)).toThrow(SealError)
      expect(() => open(key, ['f'], box.subarray(0, at))).toThrow(SealError)
    }
  })

  test('tells only the class of its content’s size', () => {
    const sizes = (lengths: number[]) => new Set(lengths.map((length) => sealText(['f'], 'a'.repeat(length)).length)).size
    expect(sizes([0, 1, 40, 256])).toBe(1)
    expect(sizes([257, 1024])).toBe(1)
    expect(sizes([1025, 2048, 4096])).toBe(1)
    expect(sizes([16_385, 65_536])).toBe(1)
    expect(sizes([0, 257, 1025, 4097, 16_385, 65_537])).toBe(6)
  })

  test('is never the same twice', () => {
    const boxes = new Set(Array.from({ length: 100 }, () => sealText(['f'], 'value').toString('hex')))
    expect(boxes.size).toBe(100)
  })
})

describe('a key from a passphrase', () => {
  test('is the same for the same passphrase and parameters, however its letters are composed', async () => {
    const params = newKdfParams()
    expect(params).toMatchObject({ kdf: 'scrypt', N: 131_072, r: 8, p: 1 })
    const composed = await deriveKey('caf\u00e9 🔑', params)
    expect(composed).toHaveLength(32)
    expect(await deriveKey('cafe\u0301 🔑', params)).toEqual(composed)
    expect(await deriveKey('cafe 🔑', params)).not.toEqual(composed)
    expect(await deriveKey('caf\u00e9 🔑', newKdfParams())).not.toEqual(composed)
  })

  test('is refused for parameters that would exhaust the machine', async () => {
    for (const bad of [{ N: 2 ** 30 }, { N: 1 }, { N: 2 ** 20, r: 32 }, { r: 10_000 }, { p: 0 }, { p: 1.5 }]) {
      await expect(deriveKey('p', { ...newKdfParams(), ...bad })).rejects.toThrow(SealError)
    }
  })
})
