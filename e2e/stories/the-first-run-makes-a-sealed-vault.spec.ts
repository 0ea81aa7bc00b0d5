import { expect, test } from './support/story.ts'

const PASSPHRASE = 'a sealed story with many words'

test('the first run without a keychain makes a sealed vault', async ({ openDesk, shell }) => {
  // No bus leads to a keyring from here.
  const desk = await openDesk({ atTheDoor: true, env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' } })
  const { page, hand } = desk

  await expect(page.getByText(shell === 'browser' ? 'Make a sealed vault' : 'There is no vault yet')).toBeVisible()
  await hand.fill(page.getByLabel('Passphrase', { exact: true }), PASSPHRASE)
  await hand.fill(page.getByLabel('Passphrase again'), `${PASSPHRASE}?`)
  await hand.press(page.getByRole('button', { name: 'Make the vault' }))
  await expect(page.getByRole('alert')).toContainText('The two entries differ')
  await hand.fill(page.getByLabel('Passphrase again'), PASSPHRASE)
  await hand.press(page.getByRole('button', { name: 'Make the vault' }))

  await expect(page.getByText('Sealed vault')).toBeVisible()
  await expect(page.locator('body')).not.toContainText(PASSPHRASE)
})
