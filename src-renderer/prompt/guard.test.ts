import { describe, expect, test } from 'vitest'
import { createGuard } from './guard.ts'

function setUp() {
  let time = 1000
  const guard = createGuard(() => time)
  return { guard, wait: (ms: number) => (time += ms) }
}

const mouse = { isTrusted: true, detail: 1 }
const key = { isTrusted: true, repeat: false }

describe('a question that has just appeared', () => {
  test.each([0, 250, 499])('takes no click and no shortcut after %i ms', (ms) => {
    const { guard, wait } = setUp()
    wait(ms)
    guard.pressed(mouse)
    expect(guard.clicked(mouse)).toBe(false)
    expect(guard.struck(key)).toBe(false)
  })

  test('takes them after half a second', () => {
    const { guard, wait } = setUp()
    wait(500)
    guard.pressed(mouse)
    expect(guard.clicked(mouse)).toBe(true)
    expect(guard.struck(key)).toBe(true)
  })
})

test('a change starts the half second again', () => {
  const { guard, wait } = setUp()
  wait(600)
  guard.changed()
  wait(499)
  expect(guard.struck(key)).toBe(false)
  wait(1)
  expect(guard.struck(key)).toBe(true)
})

test('a press that began too early counts no more when it ends later', () => {
  const { guard, wait } = setUp()
  wait(400)
  guard.pressed(mouse)
  wait(400)
  expect(guard.clicked(mouse)).toBe(false)
  guard.pressed(mouse)
  expect(guard.clicked(mouse)).toBe(true)
})

test('a press on what was there before a change does not count for what came after, however long it is held', () => {
  const { guard, wait } = setUp()
  wait(600)
  guard.pressed(mouse)
  guard.changed()
  wait(5000)
  expect(guard.clicked(mouse)).toBe(false)
})

test('what is out of sight takes nothing, however long it waits, and after that not at once', () => {
  const { guard, wait } = setUp()
  wait(600)
  guard.pressed(mouse)
  guard.close()
  wait(5000)
  expect(guard.isOpen()).toBe(false)
  expect(guard.struck(key)).toBe(false)
  guard.changed()
  wait(500)
  expect(guard.clicked(mouse)).toBe(false)
  guard.pressed(mouse)
  expect(guard.clicked(mouse)).toBe(true)
})

test('held keys, double clicks and scripts do not count', () => {
  const { guard, wait } = setUp()
  wait(1000)
  expect(guard.struck({ isTrusted: true, repeat: true })).toBe(false)
  guard.pressed({ isTrusted: true, repeat: true })
  expect(guard.clicked({ isTrusted: true, detail: 0 })).toBe(false)
  guard.pressed(mouse)
  expect(guard.clicked({ isTrusted: true, detail: 2 })).toBe(false)
  expect(guard.clicked({ isTrusted: false, detail: 0 })).toBe(false)
  expect(guard.struck({ isTrusted: false })).toBe(false)
})

test('a screen reader, which clicks without pressing, is a person', () => {
  const { guard, wait } = setUp()
  wait(1000)
  expect(guard.clicked({ isTrusted: true, detail: 0 })).toBe(true)
})
