import { expect, test } from './support/story.ts'

test('a client that comes over HTTP gets a token, seen once and with an end, and loses it when it is revoked', async ({ openDesk }) => {
  const desk = await openDesk()
  const { page, hand } = desk
  await desk.go('clients')
  await hand.press(page.getByRole('button', { name: 'Register by hand' }).first())
  const form = page.getByRole('dialog', { name: 'Register a client by hand' })
  await hand.fill(form.getByLabel(/^Name/), 'Build server')
  await hand.choose(form.getByLabel('It comes over HTTP, with a token'))
  await hand.fill(form.getByLabel(/^Days/), '30')
  await hand.press(form.getByRole('button', { name: 'Register' }))

  const shown = page.getByRole('dialog', { name: 'Connect Build server' })
  await expect(shown.getByLabel('Header', { exact: true })).toContainText(/^Authorization: Bearer \S{20,}$/)
  await expect(shown).toContainText('MCP over HTTP is off')
  await expect(shown).toContainText(/It ends on .*\d{4}/)
  const token = (await shown.getByLabel('Header', { exact: true }).innerText()).slice('Authorization: Bearer '.length)
  await hand.press(shown.getByRole('button', { name: 'Done' }))
  await expect(page.getByRole('main')).toContainText(/over HTTP, token ends on .*\d{4}/)
  await expect(page.getByRole('main')).not.toContainText(token)

  const card = page.getByRole('article', { name: 'Build server' })
  await hand.press(card.getByText('More'))
  await hand.press(card.getByRole('button', { name: 'Revoke…' }))
  await hand.press(page.getByRole('dialog').getByRole('button', { name: /^Revoke/ }))
  await expect(card).toBeHidden()
})
