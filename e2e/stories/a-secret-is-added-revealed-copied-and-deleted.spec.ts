import { expect, test } from './support/story.ts'

const VALUE = 'ghp_added by hand'

test('a secret is added, revealed, copied and deleted', async ({ openDesk, shell }) => {
  const desk = await openDesk()
  const { page, hand } = desk
  await desk.go('secrets')
  await expect(page.getByRole('heading', { name: 'No secrets yet' })).toBeVisible()

  await hand.press(page.getByRole('button', { name: 'Add secret' }).first())
  const form = page.getByRole('dialog', { name: 'Add secret' })
  await hand.fill(form.getByLabel('Name'), 'github/token')
  await hand.fill(form.getByLabel('Value'), VALUE)
  await hand.fill(form.getByLabel('Tags'), 'work, ci')
  await hand.press(form.getByRole('button', { name: 'Store' }))
  await expect(form).toBeHidden()

  const detail = page.getByRole('complementary', { name: 'github/token' })
  await expect(detail).toContainText('version 1')
  await expect(detail).not.toContainText(VALUE)
  await hand.press(detail.getByRole('button', { name: 'Show' }))
  await expect(detail.getByLabel('The value of github/token')).toHaveText(VALUE)
  await hand.press(detail.getByRole('button', { name: 'Hide' }))
  await expect(detail).not.toContainText(VALUE)

  if (shell === 'browser') await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await hand.press(detail.getByRole('button', { name: 'Copy' }))
  await expect(detail.getByText('Copied')).toBeVisible()
  expect(await desk.clipboard()).toBe(VALUE)
  await expect(page.locator('body')).not.toContainText(VALUE)

  await hand.press(detail.getByRole('button', { name: 'Delete…' }))
  const sure = page.getByRole('dialog', { name: 'Delete github/token?' })
  await expect(sure.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await hand.press(sure.getByRole('button', { name: 'Delete' }))
  await expect(page.getByRole('heading', { name: 'No secrets yet' })).toBeVisible()

  const { rows } = await desk.ask('audit.query', { filter: { secret: ['github/token'] } })
  expect(rows.map(({ event, tool }) => tool ?? event).toReversed()).toEqual([
    'store_secret',
    'secret.revealed',
    'secret.revealed',
    'remove_secret',
  ])
})
