import { expect, test } from 'vitest'
import { createAnswerGuard, type RequestShown } from './answer-guard.ts'

const request = (id: string, revision = 1): RequestShown => ({ id, revision })

function setUp() {
  let time = 0
  let also: string | null = null
  const guard = createAnswerGuard(
    () => time,
    () => also,
  )
  return {
    guard,
    later: (ms: number) => {
      time += ms
    },
    object: (reason: string | null) => {
      also = reason
    },
    mayAllow: (id: string, revision = 1) => guard.objection(request(id, revision)) === null,
  }
}

test('a window that has shown nothing may allow nothing, however long it is open', () => {
  const { guard, later, mayAllow } = setUp()
  later(60_000)
  expect(mayAllow('a')).toBe(false)
  guard.told([request('a')])
  later(60_000)
  expect(mayAllow('a')).toBe(false)
})

test('an allow counts for what has been in sight for half a second', () => {
  const { guard, later, mayAllow } = setUp()
  guard.told([request('a')])
  expect(guard.report(request('a'), true)).toBe(true)
  later(499)
  expect(mayAllow('a')).toBe(false)
  // Told again of the same, and shown as before: nothing has changed.
  guard.told([request('a'), request('b')])
  guard.report(request('a'), true)
  later(1)
  expect(mayAllow('a')).toBe(true)
  expect(mayAllow('b')).toBe(false)
})

test('what is shown without having been told of does not count, and neither does another revision', () => {
  const { guard, later, mayAllow } = setUp()
  expect(guard.report(request('a'), true)).toBe(false)
  guard.told([request('a', 2)])
  expect(guard.report(request('a', 1), true)).toBe(false)
  guard.report(request('a', 2), true)
  later(500)
  expect(mayAllow('a', 1)).toBe(false)
  expect(mayAllow('a', 2)).toBe(true)
  guard.told([request('a', 3)])
  expect(mayAllow('a', 2)).toBe(false)
  expect(mayAllow('a', 3)).toBe(false)
})

test('what was out of sight for a moment has to be in sight anew', () => {
  const { guard, later, mayAllow } = setUp()
  guard.told([request('a')])
  guard.report(request('a'), true)
  later(500)
  guard.report(request('a'), false)
  expect(mayAllow('a')).toBe(false)
  guard.report(request('a'), true)
  later(499)
  expect(mayAllow('a')).toBe(false)
  later(1)
  expect(mayAllow('a')).toBe(true)
})

test('a window that moves starts the time anew, and one whose page is gone has shown nothing', () => {
  const { guard, later, mayAllow } = setUp()
  guard.told([request('a')])
  guard.report(request('a'), true)
  later(500)
  guard.restart()
  expect(mayAllow('a')).toBe(false)
  later(500)
  expect(mayAllow('a')).toBe(true)
  guard.forget()
  later(500)
  expect(mayAllow('a')).toBe(false)
})

test('a window may have a reason of its own', () => {
  const { guard, later, object, mayAllow } = setUp()
  guard.told([request('a')])
  guard.report(request('a'), true)
  later(500)
  object('The window is hidden.')
  expect(mayAllow('a')).toBe(false)
  object(null)
  expect(mayAllow('a')).toBe(true)
})
