import { expect, test } from './support/story.ts'

test('a policy edited while a question is open decides anew', async ({ openDesk }) => {
  const desk = await openDesk()
  const { page, hand } = desk
  const cursor = await desk.client('cursor', 'Cursor', { name: 'work', allow: ['*'] })

  const answer = cursor.call('store_secret', { name: 'prod/db', value: 'postgres://' })
  const question = await desk.question('prod/db')
  await desk.go('policies')
  await hand.press(page.getByRole('link', { name: /^work/ }))
  const editor = page.getByRole('form', { name: 'work' })
  const deny = editor.getByLabel('Deny: another pattern')
  await hand.fill(deny, 'prod/*')
  await deny.press('Enter')
  await expect(editor.getByRole('button', { name: 'Deny: remove prod/*' })).toBeVisible()
  await hand.press(editor.getByRole('button', { name: 'Save policy' }))

  expect(await answer).toBe("Error: Access denied: 'prod/db' is outside this client's policy 'work'")
  await expect(question).toBeHidden()
  expect(await desk.open()).toEqual([])
  expect(await desk.ask('secrets.list')).toEqual([])
})
