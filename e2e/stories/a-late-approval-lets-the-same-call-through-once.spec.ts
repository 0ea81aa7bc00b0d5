import { expect, test } from './support/story.ts'

test('a late approval does nothing by itself, and lets the same call through once', async ({ openDesk }) => {
  const desk = await openDesk()
  await desk.ask('settings.set', { waitSeconds: 5 })
  const cursor = await desk.client('cursor', 'Cursor')
  const call = { name: 'github/token', value: 'ghp_late' }

  const first = await cursor.call('store_secret', call)
  expect(first).toMatch(
    /^Error: Waiting for approval \(request \S+\)\. Ask the person to answer it in Countersign, then repeat the same call\.$/,
  )
  const question = await desk.question('github/token')
  await expect(question).toContainText('The client waits no more')
  await desk.answer(question, 'allow')
  await expect(question).toBeHidden()
  expect(await desk.ask('secrets.list')).toEqual([])

  expect(await cursor.call('store_secret', call)).toBe("Stored secret 'github/token'")
  expect(await desk.open()).toEqual([])

  const third = cursor.call('store_secret', { ...call, force: true })
  await desk.answer(await desk.question('github/token'), 'deny')
  expect(await third).toBe('Error: Denied by the person')
})
