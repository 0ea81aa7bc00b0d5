// The table in README.md names for each fault the tests that show what is promised; this keeps it true.

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..', '..')
const rows = readFileSync(path.join(import.meta.dirname, 'README.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| fault'))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()))

const named = rows.map(([fault = '', , tests = '']) => ({
  fault,
  tests: [...tests.matchAll(/`([^`]+)`: ([^<]+)/g)].map(([, file = '', title = '']) => ({ file, title: title.trim() })),
}))

test.each(named)('$fault: its tests exist', ({ tests }) => {
  expect(tests.length).toBeGreaterThan(0)
  for (const { file, title } of tests) {
    expect(existsSync(path.join(root, file)), file).toBe(true)
    const source = readFileSync(path.join(root, file), 'utf8')
    expect(source.replaceAll("\\'", "'").includes(title), `${file} has a test '${title}'`).toBe(true)
  }
})

test('every row of the table is there', () => {
  expect(named.map(({ fault }) => fault)).toHaveLength(27)
})
