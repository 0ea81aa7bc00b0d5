import { expect, test } from './support/story.ts'

test('a policy is tried out on the last days before it is saved', async ({ openDesk }) => {
  const desk = await openDesk()
  const { page, hand } = desk
  await desk.put({ 'prod/db': 'a', 'prod/api': 'b', 'dev/db': 'c' })
  const claude = await desk.client('claude', 'Claude', { name: 'work', reads: 'always' })
  for (const name of ['prod/db', 'prod/db', 'prod/api', 'dev/db']) expect(await claude.call('get_secret', { name })).not.toContain('Error')

  await desk.go('policies')
  await hand.press(page.getByRole('link', { name: /^work/ }))
  const editor = page.getByRole('form', { name: 'work' })
  await expect(editor.getByText('3 secrets', { exact: true })).toBeVisible()
  const deny = editor.getByLabel('Deny: another pattern')

  await hand.fill(deny, 'prod/[')
  await deny.press('Enter')
  await expect(editor.getByText('position 6: this [ is never closed')).toBeVisible()
  await expect(editor.getByRole('button', { name: 'Save policy' })).toBeDisabled()
  await hand.press(editor.getByRole('button', { name: 'Deny: remove prod/[' }))

  await hand.fill(deny, 'prod/*')
  await deny.press('Enter')
  await expect(editor.getByText('1 secret, 2 denied')).toBeVisible()
  await expect(editor.getByText('would have denied 3 calls from Claude (prod/db, prod/api)')).toBeVisible()
  expect(await claude.call('get_secret', { name: 'prod/db' })).toBe('a')

  // A look elsewhere loses nothing.
  await desk.go('secrets')
  await desk.go('policies')
  await hand.press(page.getByRole('link', { name: /^work edited, not saved/ }))
  await expect(editor.getByText('1 secret, 2 denied')).toBeVisible()

  await hand.press(editor.getByRole('button', { name: 'Save policy' }))
  await expect(editor.getByRole('button', { name: 'Save policy' })).toBeDisabled()
  await expect(page.getByText('edited, not saved')).toHaveCount(0)
  expect(await claude.call('get_secret', { name: 'prod/db' })).toContain('Access denied')
})
