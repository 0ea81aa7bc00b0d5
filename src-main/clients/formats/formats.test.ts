import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CLIENTS, ENTRY_NAME } from '../facts.ts'
import { fixturesFor, LAUNCH } from '../testing/fixtures.ts'
import { Fault } from './document.ts'
import { parseJson, valueOf } from './json-tree.ts'
import { decode, openDocument, withEntry, withoutEntry, type FileFacts } from './open.ts'

const textOf = (fixture: { text: string | null }) => decode(Buffer.from(fixture.text ?? '', 'utf8')).text
const sentence = (error: unknown) =>
  error instanceof Fault ? `${error.line === null ? '' : `line ${error.line}, column ${error.column}: `}${error.message}` : String(error)
const attempt = (text: string, facts: FileFacts) => {
  try {
    return withEntry(text, openDocument(text, facts), facts, { command: 'x' })
  } catch (error) {
    return sentence(error)
  }
}

describe.each(CLIENTS)('$name', (facts) => {
  const fixtures = fixturesFor(facts)
  const entry = facts.entry(LAUNCH)

  test.each(fixtures.filter(({ refused }) => refused !== undefined))('refuses a file that is: $name', (fixture) => {
    expect(attempt(textOf(fixture), facts)).toMatch(fixture.refused ?? /never/)
  })

  test.each(fixtures.filter(({ refused }) => refused === undefined))('adds, changes and removes its entry alone: $name', (fixture) => {
    const before = textOf(fixture)
    const first = openDocument(before, facts)
    const added = withEntry(before, first, facts, entry)
    const second = openDocument(added.after, facts)
    expect(second.entry).toEqual(entry)
    expect(second.rest).toEqual(first.rest)
    // Every line that was there is there, in its order; the one before ours may have got a comma.
    const lines = added.after.split('\n').map((line) => line.trimEnd().replace(/,$/, ''))
    if (before.includes('\n')) {
      let at = 0
      for (const line of before.split('\n').map((each) => each.trimEnd().replace(/,$/, ''))) {
        if (line === '' || /[{[][}\]]/.test(line)) continue
        const [head = ''] = line.split(' //')
        at = lines.findIndex((candidate, index) => index >= at && (candidate === line || candidate.startsWith(head))) + 1
        expect(at, `the line ${JSON.stringify(line)} in ${added.after}`).toBeGreaterThan(0)
      }
    }
    const changed = withEntry(added.after, second, facts, { ...entry, args: ['other'] })
    expect(openDocument(changed.after, facts).rest).toEqual(first.rest)
    expect(withEntry(changed.after, openDocument(changed.after, facts), facts, entry).after).toBe(added.after)
    const removed = withoutEntry(added.after, second, facts, first.missing)
    expect(openDocument(removed.after, facts).entry).toBeUndefined()
    expect(openDocument(removed.after, facts).rest).toEqual(first.rest)
  })

  test('asks for nothing when the entry is there already', () => {
    const { after } = withEntry('', openDocument('', facts), facts, entry)
    expect(withEntry(after, openDocument(after, facts), facts, entry).splices).toEqual([])
  })
})

test.each([
  'a: *nowhere\n',
  `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdef'.replaceAll(/./g, (key) => `${key}: &${key} [${Array.from({ length: 9 }, () => `*${String.fromCharCode((key.codePointAt(0) ?? 0) - 1)}`).join(', ')}]\n`)}`,
])('an alias that leads nowhere, or too far, is a fault like any other in YAML', (text) => {
  const facts: FileFacts = { format: { kind: 'yaml', shape: 'map' }, path: ['mcpServers'] }
  expect(attempt(text, facts)).toMatch(/not valid YAML/)
})

describe('removing', () => {
  const json: FileFacts = { format: { kind: 'json', comments: true, trailingCommas: true }, path: ['mcpServers'] }
  const cycle = (text: string, facts = json) => {
    const document = openDocument(text, facts)
    const { after } = withEntry(text, document, facts, { command: 'x' })
    return withoutEntry(after, openDocument(after, facts), facts, document.missing).after
  }

  test.each([
    '{\n  "mcpServers": {\n    "a": {}\n  }\n}\n',
    '{\n  "mcpServers": {\n    "a": {}, // one\n    "b": {} // two\n  }\n}\n',
    '{\n  "mcpServers": {\n    "a": {},\n  },\n}\n',
    '{"mcpServers":{"a":{}}}',
    '{\r\n\t"theme": 1\r\n}\r\n',
    '{\n  "theme": 1, // x\n}\n',
  ])('leaves %j as it was before adding, even without a backup', (text) => {
    expect(cycle(text)).toBe(text)
  })

  test.each(['model = 1\n', '# a\n[mcp_servers.a]\nx = 1\n', ''])('leaves %j as it was, in TOML', (text) => {
    expect(cycle(text, { format: { kind: 'toml' }, path: ['mcp_servers'] })).toBe(text)
  })

  test('keeps what others put behind our entry', () => {
    const text = `{\n  "mcpServers": {\n    "${ENTRY_NAME}": {},\n    "late": {} // hers\n  }\n}\n`
    const document = openDocument(text, json)
    expect(withoutEntry(text, document, json, 1).after).toBe('{\n  "mcpServers": {\n    "late": {} // hers\n  }\n}\n')
  })
})

/** JSON as people and programs write it: any value, with white space, comments and commas wherever they may stand. */
const space = fc
  .array(fc.constantFrom(' ', '\n', '\t', '\r\n', '// remark\n', '/* } , " */'), { maxLength: 3 })
  .map((parts) => parts.join(''))
const document = fc.letrec<{ value: string; object: string; array: string; scalar: string }>((tie) => ({
  scalar: fc.oneof(
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
    fc.constantFrom('true', 'false', 'null', '1e400', '-0', '0.10'),
  ),
  array: fc
    .tuple(fc.array(fc.tuple(space, tie('value'), space), { maxLength: 4 }), fc.boolean())
    .map(([items, comma]) => `[${items.map((parts) => parts.join('')).join(',')}${comma && items.length > 0 ? ',' : ''} ]`),
  object: fc
    .tuple(
      fc.array(fc.tuple(space, fc.oneof(fc.constantFrom('a', 'servers', 'x.y'), fc.string()), space, tie('value'), space), {
        maxLength: 5,
      }),
      space,
      fc.boolean(),
    )
    .map(([members, end, comma]) => {
      const written = members.map(([a, key, b, value, c]) => `${a}${JSON.stringify(key)}${b}:${value}${c}`)
      return `{${written.join(',')}${comma && members.length > 0 ? ',' : ''}${end}}`
    }),
  value: fc.oneof({ maxDepth: 4 }, tie('scalar'), tie('array'), tie('object')),
}))

describe('any JSON with comments', () => {
  const facts: FileFacts = { format: { kind: 'json', comments: true, trailingCommas: true }, path: ['servers'] }

  test('keeps all it says when our entry is added, and again when it is removed; or it is refused', () => {
    let edited = 0
    fc.assert(
      fc.property(
        fc.tuple(space, document.object, space).map((parts) => parts.join('')),
        (text) => {
          let first
          try {
            first = openDocument(text, facts)
          } catch (error) {
            // Only what the generator can make: our path doubled, or leading to something that is no map.
            expect(sentence(error)).toMatch(/twice|a map is expected/)
            return
          }
          edited++
          const added = withEntry(text, first, facts, { command: 'x', args: ['y'] })
          const second = openDocument(added.after, facts)
          expect(isDeepStrictEqual(second.rest, first.rest)).toBe(true)
          // All we did was to insert: without it, the very same bytes.
          const inserted = added.splices.reduce((sum, { insert }) => sum + insert.length, 0)
          expect(added.after.length).toBe(text.length + inserted)
          const removed = withoutEntry(added.after, second, facts, first.missing)
          expect(isDeepStrictEqual(openDocument(removed.after, facts).rest, first.rest)).toBe(true)
        },
      ),
      { numRuns: 1000 },
    )
    expect(edited).toBeGreaterThan(100)
  })

  test('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const node = parseJson(text, { comments: false, trailingCommas: false })
        expect(node === null ? null : valueOf(node)).toEqual(JSON.parse(text))
      }),
    )
  })

  test('is refused when any part of it is cut off', () => {
    const whole = '{ "servers": { "a": [1, "x"] }, "b": true }'
    for (let length = 1; length < whole.length; length++) expect(attempt(whole.slice(0, length), facts)).toMatch(/line 1, column \d+/)
  })
})
