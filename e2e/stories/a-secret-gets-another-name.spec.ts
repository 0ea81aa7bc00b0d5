import { expect, test } from './support/story.ts'

test('a secret gets another name, which is looked at while it is typed, and keeps its versions', async ({ openDesk }) => {
  const desk = await openDesk()
  const { page, hand } = desk
  await desk.put({ 'github/token': 'the first value' })
  await desk.ask('secrets.store', { name: 'github/token', value: 'the second value', force: true })
  await desk.go('secrets')
  await hand.press(page.getByRole('link', { name: 'github/token' }))
  await hand.press(page.getByRole('complementary', { name: 'github/token' }).getByRole('button', { name: 'Rename…' }))

  const form = page.getByRole('dialog', { name: 'Rename github/token' })
  const rename = form.getByRole('button', { name: 'Rename' })
  await expect(rename).toBeDisabled()
  await hand.fill(form.getByLabel('New name'), 'github/')
  await expect(form).toContainText('The name must not end in /.')
  await expect(rename).toBeDisabled()
  await hand.fill(form.getByLabel('New name'), 'github/key')
  await expect(form).not.toContainText('must not')
  await hand.press(rename)

  await expect(page.getByRole('complementary', { name: 'github/key' })).toContainText('version 2')
  await expect(page.getByRole('link', { name: 'github/token' })).toBeHidden()
  expect(await desk.ask('secrets.reveal', { name: 'github/key', version: 1, purpose: 'show' })).toEqual({ value: 'the first value' })
})
