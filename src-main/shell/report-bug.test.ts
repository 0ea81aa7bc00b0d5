import { expect, test } from 'vitest'
import { bugText } from './report-bug.ts'

function mistake(make: () => unknown): string {
  try {
    make()
  } catch (error) {
    return bugText(error)
  }
  throw new Error('there was no mistake')
}

test('a mistake is told by its kind and its place, and never quotes what was handled', () => {
  const told = mistake(() => JSON.parse('hunter2'))
  expect(told).toMatch(/^a mistake of ours \(SyntaxError\)\n {4}at /)
  expect(told).toContain('report-bug.test.ts')
  expect(told).not.toContain('hunter2')
})

test('not even where its text looks like a place', () => {
  expect(bugText(new Error('\n    at hunter2'))).not.toContain('hunter2')
})

test('what is no error is told by its type alone', () => {
  expect(bugText('hunter2')).toBe('a mistake of ours (string)')
})
