// Bytes into lines. Whatever the bytes, and however they are cut into chunks, the lines are those of a plain split.

import { isUtf8 } from 'node:buffer'
import { createFrameReader } from '../../../src-main/mcp/framing.ts'
import { promise, type Target } from '../target.ts'

const MAX_BYTES = 64
const decoder = new TextDecoder()

function read(chunks: readonly Buffer[]): string[] {
  const heard: string[] = []
  const reader = createFrameReader({
    maxBytes: MAX_BYTES,
    onLine: (line) => heard.push(`= ${line}`),
    onFault: (fault) => heard.push(`! ${fault}`),
  })
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return heard
}

/** What the reader should say, written down in the plainest way. */
function expected(input: Buffer): string[] {
  const lines: Buffer[] = []
  for (let from = 0; from <= input.length;) {
    const end = input.indexOf(0x0a, from)
    lines.push(input.subarray(from, end === -1 ? input.length : end))
    from = end === -1 ? input.length + 1 : end + 1
  }
  return lines.flatMap((line) => {
    if (line.length > MAX_BYTES) return ['! too long']
    if (!isUtf8(line)) return ['! not utf-8']
    const text = decoder.decode(line)
    return /[^\t\r ]/.test(text) ? [`= ${text}`] : []
  })
}

export const framing: Target = {
  name: 'framing',
  words: ['\n', '\r\n', '\r', ' ', '\t', 'x'.repeat(MAX_BYTES), 'é', '🔑'],
  fewRuns: 500,
  inside: true,
  open: () => ({
    take(input) {
      const whole = read([input])
      promise(JSON.stringify(whole) === JSON.stringify(expected(input)), 'lines are split at line feeds, checked and passed on')
      // The first bytes say where it is cut.
      const cuts = [...input.subarray(0, 4)].map((byte) => byte % (input.length + 1)).toSorted((a, b) => a - b)
      const pieces = [0, ...cuts].map((from, index) => input.subarray(from, cuts[index] ?? input.length))
      promise(JSON.stringify(read(pieces)) === JSON.stringify(whole), 'chunks make no difference')
      const start = input.subarray(0, 500)
      const bytewise = read([...start].map((byte) => Buffer.of(byte)))
      promise(JSON.stringify(bytewise) === JSON.stringify(read([start])), 'single bytes make no difference')
      return whole
        .map((line) => (line.startsWith('=') ? 'line' : line))
        .join(' ')
        .slice(0, 60)
    },
  }),
}
