// A `.env` file: read as a whole or refused with lines; a fault repeats nothing of it; what was read can be written and read again.

import { parseDotenv } from '../../../src-shared/dotenv.ts'
import { atOnce, promise, type Target } from '../target.ts'

const escaped = (value: string): string =>
  value.replaceAll(/[\\"$\n\r\t]/g, (char) => ({ '\\': '\\\\', '"': '\\"', $: '\\$', '\n': '\\n', '\r': '\\r', '\t': '\\t' })[char] ?? char)

const FAULTS =
  /^(a name must start with a letter or _|there is no = after the name|a name has only letters, digits and _ \. - and is followed by =|the ["'`] that opens here is never closed|there is more after the closing ["'`])$/

export const dotenv: Target = {
  name: 'dotenv',
  words: ['=', '"', "'", '`', '\\', '\n', '\r\n', '#', ' #', 'export ', '$', '${A}', 'A=', '\\n', '\\"', '\u00a0', '\v'],
  fewRuns: 2000,
  inside: true,
  open: () => ({
    take(input) {
      const text = input.toString()
      const read = atOnce('a file is read', () => parseDotenv(text))
      const lines = text.split(/\r\n?|\n/).length
      if (!read.ok) {
        for (const { line, message } of read.faults) {
          promise(FAULTS.test(message), 'a fault says what is wrong and nothing of the file')
          promise(line >= 1 && line <= lines, 'a fault has its line')
        }
        promise(read.faults.length > 0 && read.faults.length <= 20, 'faults are few')
        return read.faults.map(({ message }) => message.slice(0, 20)).join()
      }
      const keys = read.entries.map(({ key }) => key)
      promise(new Set(keys).size === keys.length, 'a key comes once')
      promise(
        read.entries.every(({ key, line }) => /^[A-Za-z_][\w.-]*$/.test(key) && line >= 1 && line <= lines),
        'keys and lines are sound',
      )
      const again = parseDotenv(read.entries.map(({ key, value }) => `${key}="${escaped(value)}"`).join('\n'))
      const plain = (entries: { key: string; value: string }[]) => JSON.stringify(entries.map(({ key, value }) => [key, value]))
      promise(again.ok && plain(again.entries) === plain(read.entries), 'what was read can be written and read again')
      return `${Math.min(read.entries.length, 6)} ${read.entries
        .map(({ value }) => (value.includes('\n') ? 'n' : value === '' ? '0' : 'v'))
        .join('')
        .slice(0, 8)}`
    },
  }),
}
