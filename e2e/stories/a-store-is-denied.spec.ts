import { expect, test } from './support/story.ts'

test('a store is denied, and so is a removal: nothing changes, and both are on record', async ({ openDesk }) => {
  const desk = await openDesk()
  const cursor = await desk.client('cursor', 'Cursor')
  await desk.put({ 'github/token': 'ghp_kept' })

  const store = cursor.call('store_secret', { name: 'aws/key', value: 'AKIA' })
  await desk.answer(await desk.question('aws/key'), 'deny')
  expect(await store).toBe('Error: Denied by the person')

  const removal = cursor.call('remove_secret', { name: 'github/token' })
  const question = await desk.question('github/token')
  await expect(question).toContainText('Cursor wants to remove github/token')
  await expect(question).toContainText('Takes away version 1')
  await desk.answer(question, 'deny')
  expect(await removal).toBe('Error: Denied by the person')

  expect((await desk.ask('secrets.list')).map(({ name }) => name)).toEqual(['github/token'])
  const { rows } = await desk.ask('audit.query', { filter: { client: ['cursor'], outcome: ['denied'] } })
  expect(rows.map(({ tool, secret }) => [tool, secret])).toEqual([
    ['remove_secret', 'github/token'],
    ['store_secret', 'aws/key'],
  ])
})
