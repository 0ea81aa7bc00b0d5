import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFrameReader } from './framing.ts'

type Event = { line: string } | { fault: string }

function read(chunks: Iterable<Uint8Array>, maxBytes: number, atEnd = true): Event[] {
  const events: Event[] = []
  const reader = createFrameReader({
    maxBytes,
    onLine: (line) => void events.push({ line }),
    onFault: (fault) => void events.push({ fault }),
  })
  for (const chunk of chunks) reader.push(chunk)
  if (atEnd) reader.end()
  return events
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

function cutAt(whole: Uint8Array, places: number[]): Uint8Array[] {
  const sorted = [0, ...places.map((place) => place % (whole.length + 1)).toSorted((a, b) => a - b), whole.length]
  return sorted.slice(1).map((end, i) => whole.subarray(sorted[i], end))
}

it('reads the same lines however the bytes are cut into chunks', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }).map(bytes),
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom('\n', '\r\n', '\n\n', '  ', '\ufeff', '{"a":1}\n', 'é\n', '😀\n').map(bytes),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 60 }), (pieces, places) => {
      const whole = Uint8Array.from(pieces.flatMap((one) => [...one]))
      const atOnce = read([whole], 64)
      expect(read(cutAt(whole, places), 64)).toEqual(atOnce)
      expect(
        read(
          [...whole].map((byte) => Uint8Array.of(byte)),
          64,
        ),
      ).toEqual(atOnce)
    }),
  )
})

it('splits lines at line feeds, also when a carriage return comes before', () => {
  expect(read([bytes('{"a":1}\r\n  {"b":2}\n')], 100)).toEqual([{ line: '{"a":1}\r' }, { line: '  {"b":2}' }])
})

it('passes over blank lines', () => {
  expect(read([bytes('\n\r\n \t \nx\n')], 100)).toEqual([{ line: 'x' }])
})

it('drops a byte order mark', () => {
  expect(read([bytes('\ufeff{}\n')], 100)).toEqual([{ line: '{}' }])
})

it('puts a character together that was split between chunks', () => {
  const smile = bytes('😀\n')
  expect(read([smile.subarray(0, 2), smile.subarray(2)], 100)).toEqual([{ line: '😀' }])
})

it('reports a line that is not UTF-8 and reads the next', () => {
  expect(read([Uint8Array.of(0x22, 0xff, 0xfe, 0x22, 0x0a), bytes('ok\n')], 100)).toEqual([{ fault: 'not utf-8' }, { line: 'ok' }])
})

it('takes a line of exactly the cap and refuses one byte more', () => {
  expect(read([bytes(`${'a'.repeat(10)}\n`)], 10)).toEqual([{ line: 'a'.repeat(10) }])
  expect(read([bytes(`${'a'.repeat(11)}\nok\n`)], 10)).toEqual([{ fault: 'too long' }, { line: 'ok' }])
})

it('counts bytes and not characters', () => {
  expect(read([bytes('ééé\n')], 5)).toEqual([{ fault: 'too long' }])
})

it('says that a line is too long as soon as it is, once, and not at its end', () => {
  const chunk = bytes('a'.repeat(8))
  expect(read([chunk, chunk], 10, false)).toEqual([{ fault: 'too long' }])
  expect(read([chunk, chunk, chunk, bytes('\nok\n')], 10)).toEqual([{ fault: 'too long' }, { line: 'ok' }])
})

it('delivers a last line without a line feed when the stream ends, and nothing of a line it was skipping', () => {
  expect(read([bytes('a\nb')], 100)).toEqual([{ line: 'a' }, { line: 'b' }])
  expect(read([bytes('a\n')], 100)).toEqual([{ line: 'a' }])
  expect(read([bytes('aaaa')], 3)).toEqual([{ fault: 'too long' }])
})

it('neither keeps nor stalls on 100 MB without a line feed', () => {
  const chunk = new Uint8Array(64 * 1024).fill(0x61)
  const events: Event[] = []
  const reader = createFrameReader({
    maxBytes: 1024 * 1024,
    onLine: (line) => void events.push({ line }),
    onFault: (fault) => void events.push({ fault }),
  })
  const before = process.memoryUsage().arrayBuffers
  let slowest = 0
  for (let sent = 0; sent < 100e6; sent += chunk.length) {
    const start = performance.now()
    reader.push(chunk)
    slowest = Math.max(slowest, performance.now() - start)
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32e6)
  // Microseconds, really; generous because other tests run beside this one.
  expect(slowest).toBeLessThan(500)
  reader.push(bytes('\nping\n'))
  expect(events).toEqual([{ fault: 'too long' }, { line: 'ping' }])
})

it('takes time in proportion to the bytes, one at a time as well', () => {
  const line = bytes(`${'a'.repeat(1024 * 1024 - 1)}\n`)
  const events: Event[] = []
  const reader = createFrameReader({
    maxBytes: 1024 * 1024,
    onLine: (text) => void events.push({ line: String(text.length) }),
    onFault: (fault) => void events.push({ fault }),
  })
  const start = performance.now()
  for (let i = 0; i < line.length; i++) reader.push(line.subarray(i, i + 1))
  // Quadratic copying of a megabyte would take minutes.
  expect(performance.now() - start).toBeLessThan(10_000)
  expect(events).toEqual([{ line: String(1024 * 1024 - 1) }])
})
