import { expect, test } from './support/story.ts'

test('a store is asked and approved', async ({ openDesk }) => {
  const desk = await openDesk()
  const cursor = await desk.client('cursor', 'Cursor')

  const answer = cursor.call('store_secret', { name: 'github/token', value: 'ghp_story' })
  const question = await desk.question('github/token')
  await expect(question).toContainText('Cursor wants to store github/token')
  await expect(question).toContainText('“cursor-vscode 1.0.0” (self-declared)')
  await expect(question.getByText('•••')).toBeVisible()
  await expect(question).not.toContainText('ghp_story')
  await desk.answer(question, 'allow')

  expect(await answer).toBe("Stored secret 'github/token'")
  await expect(question).toBeHidden()
  expect(await desk.ask('secrets.reveal', { name: 'github/token', purpose: 'show' })).toEqual({ value: 'ghp_story' })

  const again = cursor.call('store_secret', { name: 'github/token', value: 'ghp_second', force: true })
  const replacing = await desk.question('github/token')
  await expect(replacing).toContainText('Replaces version 1')
  await desk.answer(replacing, 'allow')
  expect(await again).toBe("Stored secret 'github/token'")
})
