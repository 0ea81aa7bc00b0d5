import { expect, test } from 'vitest'
import { parseDotenv } from '../../../src-shared/dotenv.ts'
import { inPieces, nameFor, plan } from './import-plan.ts'

const planned = (source: string, prefix = '') => {
  const read = parseDotenv(source)
  return plan(read.ok ? read.entries : [], prefix).map(({ name, fault }) => [name, fault])
}

test.each([
  ['', 'GITHUB_TOKEN', 'GITHUB_TOKEN'],
  ['app/', 'GITHUB_TOKEN', 'app/GITHUB_TOKEN'],
  ['', '__PRIVATE', 'PRIVATE'],
  ['app/', '_PRIVATE', 'app/_PRIVATE'],
])('with the prefix %j, %s becomes %s', (prefix, key, name) => {
  expect(nameFor(prefix, key)).toBe(name)
})

test('what cannot come in says why, and the rest comes in', () => {
  expect(planned('A=1\nEMPTY=\n___=x\n_A=2')).toEqual([
    ['A', null],
    ['EMPTY', 'it is empty'],
    ['', 'its name must not be empty'],
    ['A', 'line 1 has the same name'],
  ])
  expect(planned('A=1', '../')[0]?.[1]).toContain('its name must start with')
  expect(planned(`A=${'x'.repeat(70_000)}`)[0]?.[1]).toContain('65536 bytes')
})

test('a long import goes in pieces that fit', () => {
  const entries = Array.from({ length: 10 }, (_, index) => ({ name: `n${index}`, value: 'é'.repeat(100) }))
  const pieces = inPieces(entries, 700)
  expect(pieces.flat()).toEqual(entries)
  expect(pieces.every((piece) => new TextEncoder().encode(JSON.stringify(piece)).length <= 702)).toBe(true)
  expect(inPieces([])).toEqual([])
})
