// Inputs made from those that are known: a file of the corpus, edited a few times. fast-check keeps the edits apart, so that it can
// take away those that do not matter when one of them breaks something.

import fc from 'fast-check'

type Edit = (bytes: Buffer) => Buffer

/** Longer inputs cost more than they find; limits of size have tests of their own. */
const MOST_BYTES = 16 * 1024

/** Where in the input, as a share of its length: it stays in place while the input shrinks. */
const place = fc.integer({ min: 0, max: 999 })
const at = (bytes: Buffer, share: number): number => Math.floor(((bytes.length + 1) * share) / 1000)
const between = (bytes: Buffer, one: number, other: number): [number, number] => {
  const ends: [number, number] = [at(bytes, one), at(bytes, other)]
  return ends[0] <= ends[1] ? ends : [ends[1], ends[0]]
}
const put = (bytes: Buffer, from: number, to: number, insert: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, from), insert, bytes.subarray(to)])

const ODD = [
  '\0',
  '\ufeff',
  '\u2028',
  '\u202e',
  '\ud7ff',
  '\x1b[31m',
  '9007199254740993',
  '-0',
  '1e999',
  '-1',
  'null',
  '__proto__',
  'constructor',
]
const ODD_BYTES = [
  Buffer.of(0xff, 0xfe),
  Buffer.of(0xc0, 0x80),
  Buffer.of(0xed, 0xa0, 0x80),
  Buffer.of(0xf4, 0x90, 0x80, 0x80),
  Buffer.of(0x80),
]

export function inputs(pool: readonly Buffer[], words: readonly string[]): fc.Arbitrary<Buffer> {
  const pieces = [...[...words, ...ODD].map((word) => Buffer.from(word)), ...ODD_BYTES]
  const piece = fc.oneof(
    fc.constantFrom(...pieces),
    fc.uint8Array({ minLength: 1, maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
  )
  const known = fc.constantFrom(...pool)
  const edit: fc.Arbitrary<Edit> = fc.oneof(
    fc.tuple(place, piece).map(
      ([where, insert]): Edit =>
        (bytes) =>
          put(bytes, at(bytes, where), at(bytes, where), insert),
    ),
    fc.tuple(place, place, piece).map(
      ([one, other, insert]): Edit =>
        (bytes) =>
          put(bytes, ...between(bytes, one, other), insert),
    ),
    fc.tuple(place, fc.integer({ min: 1, max: 4 })).map(
      ([where, length]): Edit =>
        (bytes) =>
          put(bytes, at(bytes, where), Math.min(bytes.length, at(bytes, where) + length), Buffer.alloc(0)),
    ),
    fc.tuple(place, fc.integer({ min: 0, max: 7 })).map(([where, bit]): Edit => (bytes) => {
      const flipped = Buffer.from(bytes)
      const index = Math.min(at(bytes, where), bytes.length - 1)
      if (index >= 0) flipped[index] = (flipped[index] ?? 0) ^ (1 << bit)
      return flipped
    }),
    fc.tuple(place, place, fc.integer({ min: 2, max: 40 })).map(([one, other, times]): Edit => (bytes) => {
      const [from, to] = between(bytes, one, other)
      return put(bytes, to, to, Buffer.concat(Array.from({ length: times }, () => bytes.subarray(from, to))))
    }),
    fc.tuple(place, known, place, place).map(([where, other, one, two]): Edit => (bytes) => {
      const [from, to] = between(other, one, two)
      return put(bytes, at(bytes, where), at(bytes, where), other.subarray(from, to))
    }),
  )
  return fc
    .tuple(known, fc.array(edit, { maxLength: 6 }))
    .map(([first, edits]) => edits.reduce((bytes, change) => change(bytes).subarray(0, MOST_BYTES), first))
}
