// What a script in the page, or whoever has its session, gets by sending the answer without showing the question.

import { expect, test } from 'vitest'
import { GUARD_MS } from '../src-main/host/answer-guard.ts'
import { openDesk } from './support/desk.ts'

test('a page may not allow what it has not been told of, does not show, or shows only just now; it may deny at once', async () => {
  const { client, person } = await openDesk()
  const bridge = await client('cursor')
  const page = await person()
  const other = await person()
  const store = bridge.call('store_secret', { name: 'token', value: 'v' })
  const [approval] = await other.waiting(1)
  const { id, revision } = approval ?? expect.fail('nothing waits')
  const allow = () => page.ask('approvals.answer', { id, revision, answer: 'allow' })
  const show = (inSight: boolean) => page.ask('approvals.shown', { id, revision, inSight })

  await expect(allow()).rejects.toThrow('this request is not in sight here')
  expect(await show(true)).toEqual({ counted: false })
  await expect(allow()).rejects.toThrow('this request is not in sight here')

  await page.ask('approvals.list')
  expect(await show(true)).toEqual({ counted: true })
  const shown = performance.now()
  const early = await allow().then(
    () => 'allowed',
    () => 'refused',
  )
  // Unless this machine stood still for so long.
  if (performance.now() - shown < GUARD_MS) expect(early).toBe('refused')

  await show(false)
  // Long enough in sight on another page, which is another connection.
  await other.read({ id, revision })
  await expect(allow()).rejects.toThrow('this request is not in sight here')
  expect(await page.ask('approvals.answer', { id, revision, answer: 'deny' })).toEqual({ done: true })
  expect(await store).toBe('Error: Denied by the person')
})

test('what has been in sight on a page for long enough can be allowed there', async () => {
  const { client, someone } = await openDesk()
  const bridge = await client('cursor')
  const store = bridge.call('store_secret', { name: 'token', value: 'v' })
  const [approval] = await someone.waiting(1)
  expect(await someone.answer(approval ?? expect.fail('nothing waits'), 'allow')).toBe(true)
  expect(await store).toBe("Stored secret 'token'")
})
