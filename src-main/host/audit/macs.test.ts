import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { GENESIS, macOf } from './chain.ts'
import { asBytes, MacCheck } from './macs.ts'

const texts = ['', '{}', 'x'.repeat(63), 'é › 秘密 🔑', '\0\x7f\x80ÿ', 'long › '.repeat(2000), 'short after long']

test('a MAC is right exactly if it is the one that the writer makes', () => {
  for (const key of [Buffer.alloc(32, 7), randomBytes(32)]) {
    const macs = new MacCheck(key)
    for (const previous of [GENESIS, randomBytes(32)]) {
      for (const text of texts) {
        const mac = macOf(createSecretKey(key), text, previous)
        expect(macs.isRight(mac, asBytes(text), previous)).toBe(true)
        expect(macs.isRight(mac, asBytes(`${text} `), previous)).toBe(false)
        expect(macs.isRight(mac, asBytes(text), randomBytes(32))).toBe(false)
        expect(new MacCheck(randomBytes(32)).isRight(mac, asBytes(text), previous)).toBe(false)
        for (const at of [0, 15, 31]) expect(macs.isRight(flipped(mac, at), asBytes(text), previous)).toBe(false)
        expect(macs.isRight(mac.subarray(0, 31), asBytes(text), previous)).toBe(false)
      }
    }
  }
})

test('a character that only looks like another in its last byte does not pass for it', () => {
  const key = randomBytes(32)
  const mac = macOf(createSecretKey(key), 'A', GENESIS)
  expect(new MacCheck(key).isRight(mac, asBytes('\u0141'), GENESIS)).toBe(false)
})

function flipped(mac: Buffer, at: number): Buffer {
  const other = Buffer.from(mac)
  other[at] = (other[at] ?? 0) ^ 1
  return other
}
