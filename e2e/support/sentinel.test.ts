import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { finderOf, sentinel, sentinelFinder } from './sentinel.ts'

const value = sentinel('of a test')
const raw = Buffer.from(value)
const finder = sentinelFinder()

/** Written by other means than the finder's own, with something around it. */
const WRITTEN: Record<string, Buffer> = {
  raw,
  hex: Buffer.from(Array.from(raw, (byte) => byte.toString(16).padStart(2, '0')).join('')),
  'hex in capitals': Buffer.from(Array.from(raw, (byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join('')),
  'a query of a URL': Buffer.from(new URL(`http://h/?q=${encodeURIComponent(value)}`).search),
  'a posted form': Buffer.from(new URLSearchParams({ value }).toString()),
  JSON: Buffer.from(JSON.stringify({ value })),
  'JSON in JSON': Buffer.from(JSON.stringify({ line: JSON.stringify({ value }) })),
  'JSON in ASCII alone': Buffer.from(
    JSON.stringify({ value }).replaceAll(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ),
  'a field of CSV': Buffer.from(`1,"${value.replaceAll('"', '""')}",2`),
  'UTF-16, little end first': Buffer.from(`x${value}`, 'utf16le'),
  'UTF-16, big end first': Buffer.from(`x${value}`, 'utf16le').swap16(),
  'reversed letters': Buffer.from([...value].toReversed().join('')),
  'reversed bytes': Buffer.from([...raw].toReversed()),
  ...Object.fromEntries(
    [0, 1, 2].flatMap((offset) => [
      [`base64, ${offset} bytes in`, Buffer.from(Buffer.concat([Buffer.alloc(offset, 'z'), raw, Buffer.from('end')]).toString('base64'))],
      [`base64 for URLs, ${offset} bytes in`, Buffer.from(Buffer.concat([Buffer.alloc(offset, 'z'), raw]).toString('base64url'))],
    ]),
  ),
}

describe('a value is found', () => {
  for (const [form, bytes] of Object.entries(WRITTEN)) {
    it(`in ${form}`, () => {
      expect(finder.hits(Buffer.concat([Buffer.alloc(777, 1), bytes, Buffer.alloc(99)]))).not.toEqual([])
      // Not by its plain beginning alone, which any escaping leaves as it is.
      expect(finderOf([value]).hits(bytes)).not.toEqual([])
    })
  }

  it('when only its beginning was written', () => {
    expect(finder.hits(raw.subarray(0, 25))).toMatchObject([{ form: 'raw', at: 0 }])
  })
})

it('nothing is found where nothing is', () => {
  const other = Buffer.from(JSON.stringify({ value: 'S3nt1nel of another kind', bytes: deflateSync(raw).toString('base64') }))
  expect(finder.hits(other)).toEqual([])
  expect(finder.hits(Buffer.alloc(0))).toEqual([])
  expect(finderOf([sentinel('one')]).hits(Buffer.from(sentinel('another')))).toEqual([])
})

it('says which value it was', () => {
  const [one, two] = [sentinel('one'), sentinel('two')]
  expect(finderOf([one, two]).hits(Buffer.from(`…${two}`))).toEqual([{ needle: two, form: 'raw', at: 3 }])
})
