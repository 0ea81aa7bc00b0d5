import { renameSync, rmSync } from 'node:fs'
import { startHost, type AtEnd } from '../support/host.ts'
import { expect, test } from './support/story.ts'

test('a keychain that does not open has a next step, and can be tried again', async ({ openDesk, shell }) => {
  // A vault under another name than the one it was made under: its keychain items are not where they should be.
  const prepare = async (home: string) => {
    const works: Parameters<AtEnd>[0][] = []
    const before = await startHost({ home: `${home}-before`, atEnd: (work) => void works.push(work) })
    await before.stop()
    for (const work of works) await work()
    rmSync(home, { recursive: true })
    renameSync(before.home, home)
  }
  const { page, hand } = await openDesk({ atTheDoor: true, prepare })
  await expect(page.getByText(/Unlock the login keyring: .*Passwords and Keys/)).toBeVisible()
  const again = page.getByRole('button', { name: 'Try again' })
  await hand.press(again)
  if (shell === 'electron') await expect(page.getByText('Still closed.')).toBeVisible()
  await expect(again).toBeVisible()
})
