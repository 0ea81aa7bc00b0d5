import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { furnish } from './support/furnish.ts'
import { expect, test } from './support/story.ts'

test('nothing serious stands in the way of anybody, on any screen, in light and dark', async ({ openDesk }) => {
  test.setTimeout(180_000)
  const desk = await openDesk()
  const { page, prompt } = desk
  const found: string[] = []
  const look = async (what: string, at: Page = page) => {
    // Two scrollbars beside each other: the screen's and, for nothing, the page's.
    if (await at.evaluate(() => document.documentElement.scrollHeight > innerHeight)) found.push(`${what}: the page itself scrolls`)
    for (const colorScheme of ['light', 'dark'] as const) {
      await at.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      // In one go, because a window of Electron opens no other. The dark is told from the light by its colours alone.
      const axe = new AxeBuilder({ page: at }).setLegacyMode()
      const { violations } = await (colorScheme === 'light' ? axe : axe.withRules('color-contrast')).analyze()
      for (const { id, impact, nodes } of violations) {
        const places = nodes.filter(({ html }) => !isTheList(id, html)).map(({ target }) => target.join(' '))
        if (places.length > 0 && (impact === 'serious' || impact === 'critical'))
          found.push(`${what}, ${colorScheme}: ${id} at ${places.join(', ')}`)
      }
    }
  }

  await look('welcome')
  await desk.go('secrets')
  await page.getByRole('heading', { name: 'No secrets yet' }).waitFor()
  await look('secrets, empty')

  const { cursor } = await furnish(desk)
  await desk.go('secrets')
  await page.getByRole('link', { name: 'dev/github-token' }).click()
  await look('secrets')
  await page.keyboard.press('n')
  await look('adding a secret')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.keyboard.press('i')
  await look('importing a .env')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await desk.go('policies')
  await page.getByRole('link', { name: /^work/ }).click()
  await page.getByRole('form', { name: 'work' }).waitFor()
  await look('policies')
  await desk.go('clients')
  await page.getByRole('article', { name: 'Cursor' }).waitFor()
  await look('clients')
  await desk.go('settings')
  await page.getByRole('group', { name: 'Theme' }).waitFor()
  await look('settings')
  await page.keyboard.press('?')
  await look('the keys')
  await page.keyboard.press('Escape')

  const waiting = cursor.call('store_secret', { name: 'dev/github-token', value: 'ghp_third', force: true })
  const question = await desk.question('dev/github-token')
  await look('a question', prompt)
  await desk.go('audit')
  await page.getByRole('grid').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('complementary').waitFor()
  await look('audit')
  await desk.answer(question, 'deny')
  await waiting

  expect(found).toEqual([])
})

/** The list of calls is scrolled by the keys of the grid around it, which has the focus. */
const isTheList = (rule: string, html: string) => rule === 'scrollable-region-focusable' && html.includes('data-scroller')
