import { expect, test } from './support/story.ts'

test('a secret is given a generated value, goes back to its former one, and forgets what was', async ({ openDesk }) => {
  const desk = await openDesk()
  const { page, hand } = desk
  await desk.put({ 'github/token': 'the first value' })
  await desk.go('secrets')
  await hand.press(page.getByRole('link', { name: 'github/token' }))
  const detail = page.getByRole('complementary', { name: 'github/token' })

  await hand.press(detail.getByRole('button', { name: 'Edit' }))
  const form = page.getByRole('dialog', { name: 'Edit github/token' })
  await hand.select(form.getByLabel('Characters'), 'hexadecimal')
  await hand.press(form.getByRole('button', { name: 'Generate' }))
  await hand.fill(form.getByLabel('Expires after'), '2031-01-31')
  await hand.press(form.getByRole('button', { name: 'Save' }))
  await expect(detail).toContainText('version 2')
  const { value } = await desk.ask('secrets.reveal', { name: 'github/token', purpose: 'show' })
  expect(value).toMatch(/^[0-9a-f]{32}$/)

  await hand.press(page.getByRole('button', { name: 'More' }))
  await hand.press(page.getByRole('button', { name: 'Which secret is this string?' }))
  const which = page.getByRole('dialog', { name: 'Which secret is this string?' })
  await hand.fill(which.getByLabel('String', { exact: true }), 'the first value')
  await hand.press(which.getByRole('button', { name: 'Look it up' }))
  await expect(which.getByRole('status')).toHaveText('github/token version 1')
  await hand.press(which.getByRole('button', { name: 'Close' }))

  await hand.press(detail.getByRole('button', { name: 'Restore version 1' }))
  const sure = page.getByRole('dialog', { name: 'Restore version 1 of github/token?' })
  await expect(sure.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await hand.press(sure.getByRole('button', { name: 'Restore version 1' }))
  await expect(detail).toContainText('version 3')
  expect(await desk.ask('secrets.reveal', { name: 'github/token', purpose: 'show' })).toEqual({ value: 'the first value' })

  await hand.press(detail.getByRole('button', { name: 'Clear history…' }))
  await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Clear history' }))
  await expect(detail.getByText('Former values will be kept here')).toBeVisible()
  expect(await desk.ask('secrets.versions', { name: 'github/token' })).toHaveLength(1)
})
