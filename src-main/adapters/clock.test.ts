import { expect, test } from 'vitest'
import { systemClock } from './clock.ts'

test('an alarm rings once, not before its time', async () => {
  const started = systemClock.mono()
  await new Promise<void>((resolve) => {
    systemClock.after(20, resolve)
  })
  expect(systemClock.mono() - started).toBeGreaterThanOrEqual(20)
})

test('a cancelled alarm never rings, and one further off than a timer reaches does not ring at once', async () => {
  const rang: string[] = []
  const cancel = systemClock.after(5, () => rang.push('cancelled'))
  const farOff = systemClock.after(60 * 24 * 3600 * 1000, () => rang.push('far off'))
  cancel()
  await new Promise<void>((resolve) => {
    systemClock.after(40, resolve)
  })
  farOff()
  expect(rang).toEqual([])
})

test('the wall clock is that of the machine', () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000)
})
