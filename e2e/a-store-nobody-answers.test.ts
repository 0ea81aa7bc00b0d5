// The default patience of 25 seconds, in real time.

import { expect, test } from 'vitest'
import type { RunningBridge } from './support/bridge.ts'
import { failing, openDesk, resultOf, saying } from './support/desk.ts'

const waitingFor = (request: string | undefined) =>
  failing(`Waiting for approval (request ${request}). Ask the person to answer it in Countersign, then repeat the same call.`)

/** Calls with a progress token; tells the result and the notifications that came before it. */
async function callWithProgress(bridge: RunningBridge, tool: string, args: object) {
  const progressToken = `progress-${tool}`
  const { result } = await bridge.request('tools/call', { name: tool, arguments: args, _meta: { progressToken } })
  const signs = bridge.messages.filter(
    ({ method, params }) => method === 'notifications/progress' && params?.['progressToken'] === progressToken,
  )
  return { result, signs: signs.map(({ params }) => params) }
}

test('a store that nobody answers returns in time; approved later it passes once when repeated, and everything else asks again', async () => {
  const { client, someone } = await openDesk()
  const bridge = await client('cursor', { reads: 'ask' })
  const args = { name: 'token', value: 'v', force: true }

  const began = performance.now()
  const { result, signs } = await callWithProgress(bridge, 'store_secret', args)
  const seconds = (performance.now() - began) / 1000
  const [approval] = await someone.waiting(1)
  expect(result).toEqual(waitingFor(approval?.id))
  expect(seconds).toBeGreaterThan(24)
  expect(seconds, 'not the ten minutes for which the question stays open').toBeLessThan(250)
  // Every five seconds, the first at once; a busy machine gets to fewer.
  expect(signs.length).toBeGreaterThanOrEqual(2)
  expect(signs.length).toBeLessThanOrEqual(6)
  expect(signs.map((sign) => sign?.['progress'])).toEqual(signs.map((_, index) => index + 1))
  expect(signs[0]?.['message']).toBe(`Waiting for a person to answer request ${approval?.id}`)

  // Nothing is done behind the client's back, neither before nor after the person says yes.
  expect(approval).toMatchObject({ waiting: 0, count: 1 })
  expect(approval && (await someone.answer(approval, 'allow'))).toBe(true)
  expect(await someone.ask('secrets.list')).toEqual([])

  const altered = resultOf(bridge, 'store_secret', { ...args, value: 'another' })
  const asked = await someone.answerNext('deny')
  expect(asked.id).not.toBe(approval?.id)
  expect(await altered).toEqual(failing('Denied by the person'))

  expect(await resultOf(bridge, 'store_secret', args)).toEqual(saying("Stored secret 'token'", { name: 'token', version: 1 }))
  expect((await someone.ask('approvals.list')).open).toEqual([])

  const third = resultOf(bridge, 'store_secret', args)
  expect(await someone.answerNext('deny')).toMatchObject({ replaces: { version: 1 } })
  expect(await third).toEqual(failing('Denied by the person'))
  expect(await someone.ask('secrets.list')).toMatchObject([{ name: 'token', version: 1 }])
})

test('a read approved after its time passes once, although nothing about the secret has changed', async () => {
  const { client, someone, put } = await openDesk()
  await someone.ask('settings.set', { waitSeconds: 5 })
  await put({ token: 'v' })
  const bridge = await client('cursor', { reads: 'ask' })
  const other = await client('other', { reads: 'ask' })

  const { result, signs } = await callWithProgress(bridge, 'get_secret', { name: 'token' })
  const [approval] = await someone.waiting(1)
  expect(result).toEqual(waitingFor(approval?.id))
  expect(signs.length).toBeGreaterThanOrEqual(1)
  if (approval) await someone.answer(approval, 'allow')

  const strangers = bridge.messages.length
  const byOther = other.call('get_secret', { name: 'token' })
  await someone.answerNext('deny')
  expect(await byOther).toBe('Error: Denied by the person')
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('v')
  const again = bridge.call('get_secret', { name: 'token' })
  await someone.answerNext('deny')
  expect(await again).toBe('Error: Denied by the person')
  // Without a progress token nobody is told anything but the answer.
  expect(bridge.messages.slice(strangers).filter(({ method }) => method === 'notifications/progress')).toEqual([])
})
