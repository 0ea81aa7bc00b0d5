import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDotenv, type Dotenv } from './dotenv.ts'

const pairs = (source: string) => {
  const read = parseDotenv(source)
  if (!read.ok) throw new Error(JSON.stringify(read.faults))
  return Object.fromEntries(read.entries.map(({ key, value }) => [key, value]))
}
const faults = (read: Dotenv) => (read.ok ? [] : read.faults.map(({ line, message }) => `${line}: ${message}`))

test.each<[string, string, Record<string, string>]>([
  ['a plain value', 'A=b', { A: 'b' }],
  ['spaces around it', '  A  =  b c  ', { A: 'b c' }],
  ['export', 'export A=b', { A: 'b' }],
  ['a name that begins with export', 'exported=b', { exported: 'b' }],
  ['comments and empty lines', '# one\n\n  # two\nA=b # three\n', { A: 'b' }],
  ['a # inside a word', 'A=b#c', { A: 'b#c' }],
  ['a # as the whole value', 'A= # none\nB=#none', { A: '', B: '' }],
  ['an empty value', 'A=\nB=""', { A: '', B: '' }],
  ['single quotes, which escape nothing', String.raw`A='b\n"c" $D # e'`, { A: String.raw`b\n"c" $D # e` }],
  ['double quotes with escapes', String.raw`A="b\n\t\"c\" \\ \$D \q"`, { A: 'b\n\t"c" \\ $D \\q' }],
  ['backticks', 'A=`"b" \'c\'`', { A: '"b" \'c\'' }],
  ['a comment after a quote', 'A="b" # c', { A: 'b' }],
  ['a value over several lines', 'A="b\nc\n"\nD=e', { A: 'b\nc\n', D: 'e' }],
  ['CRLF', 'A=b\r\nC="d\r\ne"\r\n', { A: 'b', C: 'd\ne' }],
  ['a byte order mark', '\ufeffA=b', { A: 'b' }],
  ['= inside a value', 'URL=postgres://u:p@h/d?a=b', { URL: 'postgres://u:p@h/d?a=b' }],
  ['the last of two', 'A=b\nB=c\nA=d', { B: 'c', A: 'd' }],
  ['no line at all', '', {}],
  ['a quote inside a plain value', `A=it's`, { A: "it's" }],
])('%s is read', (_, source, expected) => {
  expect(pairs(source)).toEqual(expected)
})

test.each<[string, string, string[]]>([
  ['cut off inside a quote', 'A=b\nB="c\nd\n', ['2: the " that opens here is never closed']],
  ['cut off before =', 'A=b\nB', ['2: there is no = after the name']],
  ['text after a quote', `A="b"c`, ['1: there is more after the closing "']],
  ['a name that is none', '1A=b\nB=c', ['1: a name must start with a letter or _']],
  ['a name with a space', 'A B=c', ['1: a name has only letters, digits and _ . - and is followed by =']],
  ['several of them', 'A\nB=c\n=d', ['1: there is no = after the name', '3: a name must start with a letter or _']],
])('a file with %s is refused as a whole, by line', (_, source, expected) => {
  expect(faults(parseDotenv(source))).toEqual(expected)
})

test('a fault never repeats what the file says', () => {
  expect(JSON.stringify(parseDotenv('A="hunter2\nB'))).not.toContain('hunter2')
})

test('an entry knows where it begins', () => {
  const read = parseDotenv('\n# x\nA="b\nc"\n\nD=e')
  expect(read.ok && read.entries.map(({ key, line }) => [key, line])).toEqual([
    ['A', 3],
    ['D', 6],
  ])
})

test('no text makes it fail otherwise than by a fault', () => {
  const pieces = fc.constantFrom('A', '=', '"', "'", '`', '\\', '\n', '\r', '#', ' ', 'export ', '$', '\ufeff', '\0', '\ud800', 'é')
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(pieces).map((parts) => parts.join('')),
      ),
      (source) => {
        const read = parseDotenv(source)
        if (!read.ok) expect(read.faults.every(({ line }) => line >= 1 && line <= source.split(/\r\n|\r|\n/).length)).toBe(true)
      },
    ),
  )
})

test('what is written in double quotes is read back as it was', () => {
  const key = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,20}$/)
  const quoted = (value: string) =>
    `"${value.replace(/[\\"$\n\r\t]/g, (char) => ({ '\n': '\\n', '\r': '\\r', '\t': '\\t' })[char] ?? `\\${char}`)}"`
  fc.assert(
    fc.property(
      fc.dictionary(key, fc.string({ unit: 'binary' }), { noNullPrototype: true }),
      fc.constantFrom('\n', '\r\n'),
      (entries, end) => {
        const source = Object.entries(entries).map(([name, value]) => `${name}=${quoted(value)} # note`)
        const read = parseDotenv(source.join(end))
        expect(read.ok && read.entries.map((entry) => [entry.key, entry.value])).toEqual(Object.entries(entries))
      },
    ),
  )
})
