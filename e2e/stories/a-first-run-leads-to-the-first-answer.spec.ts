import { startAiClient } from './support/ai-client.ts'
import { expect, test } from './support/story.ts'

test('a first run leads from the first secret to the first answer', async ({ openDesk }) => {
  const desk = await openDesk()
  const { page, hand } = desk
  await expect(page.getByRole('heading', { name: 'Welcome to Countersign' })).toBeVisible()

  await hand.press(page.getByRole('main').getByRole('link', { name: 'Add secret' }))
  const form = page.getByRole('dialog', { name: 'Add secret' })
  await hand.fill(form.getByLabel('Name'), 'github/token')
  await hand.fill(form.getByLabel('Value'), 'ghp_first')
  await hand.press(form.getByRole('button', { name: 'Store' }))
  await expect(form).toBeHidden()

  await desk.go('welcome')
  await expect(page.getByText('There is one secret in your vault.')).toBeVisible()
  await hand.press(page.getByRole('link', { name: 'Register a client' }))
  const registering = page.getByRole('dialog')
  await hand.fill(registering.getByLabel(/^Name/), 'Cursor')
  await hand.press(registering.getByRole('button', { name: 'Register' }))
  const connecting = page.getByRole('dialog', { name: 'Connect Cursor' })
  await expect(connecting).toContainText('--client')
  const cursor = await startAiClient({ home: desk.home, id: 'cursor' })
  await expect(connecting).toContainText('It has been here.')
  await hand.press(connecting.getByRole('button', { name: 'Done' }))

  await desk.go('welcome')
  await hand.press(page.getByRole('button', { name: 'Ask me something' }))
  const question = desk.prompt.getByRole('article').first()
  await question.waitFor()
  await desk.answer(question, 'allow')
  await expect(page.getByText('You allowed it.')).toBeVisible()
  await expect(page.getByRole('list', { name: 'What is on record about it' })).toContainText('You answered')
  await cursor.close()
})
