// The shortest life a prompt can be given, in real time.

import { expect, test } from 'vitest'
import { failing, openDesk, resultOf } from './support/desk.ts'

test('an unanswered question ends as a denial, and a client whose questions go unanswered has to pause', { timeout: 180_000 }, async () => {
  const { client, someone } = await openDesk()
  await someone.ask('settings.set', { waitSeconds: 290, promptMinutes: 1 })
  const bridge = await client('cursor')
  const stores = ['a', 'b'].map((name) => resultOf(bridge, 'store_secret', { name, value: 'x' }))
  const open = await someone.waiting(2)
  const expired = failing('The request for approval expired unanswered')
  expect(await Promise.all(stores)).toEqual([expired, expired])

  // A click that comes too late does nothing.
  for (const approval of open) expect(await someone.answer(approval, 'allow')).toBe(false)
  expect(await someone.ask('secrets.list')).toEqual([])

  const paused = /^Error: This client is paused until \d\d:\d\d: two requests expired unanswered$/
  expect(await bridge.call('store_secret', { name: 'a', value: 'x' })).toMatch(paused)
  expect(await bridge.call('list_secrets')).toBe('[]')
  expect(await someone.ask('clients.list')).toContainEqual(expect.objectContaining({ id: 'cursor', coolingUntil: expect.any(Number) }))

  // Others are not held up by it, and a person can let it ask again.
  const other = await client('other')
  const theirs = other.call('store_secret', { name: 'theirs', value: 'x' })
  await someone.answerNext('allow')
  expect(await theirs).toBe("Stored secret 'theirs'")
  await someone.ask('clients.resume', { id: 'cursor' })
  const resumed = bridge.call('store_secret', { name: 'a', value: 'x' })
  await someone.answerNext('allow')
  expect(await resumed).toBe("Stored secret 'a'")
})
