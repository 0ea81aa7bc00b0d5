import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Locator } from '@playwright/test'
import { fillLog } from './support/furnish.ts'
import { expect, test } from './support/story.ts'

/** A million take a while to make: STORY_ROWS=1000000 asks for them. */
const ROWS = Number(process.env['STORY_ROWS'] ?? 100_000)

test('a long log is filtered, read and exported', async ({ openDesk }) => {
  test.setTimeout(60_000 + ROWS)
  const desk = await openDesk({ prepare: (home) => fillLog(home, ROWS, 30) })
  const { page, hand } = desk
  await desk.go('audit')
  const shown = page.getByText(/rows? shown/)
  const grid = page.getByRole('grid', { name: 'Entries, newest first' })
  await expect(shown).toContainText(`of a log of`)
  // Only what is in view is there.
  expect(await grid.getByRole('row').count()).toBeLessThan(100)
  const everything = await rowsOf(grid)
  expect(everything).toBeGreaterThan(ROWS)

  await test.step('to its end and back', async () => {
    await grid.focus()
    await page.keyboard.press('End')
    await expect(grid.locator(`[aria-rowindex="${everything}"]`)).toBeVisible()
    await page.keyboard.press('Home')
    await expect(grid.locator('[aria-rowindex="2"]')).toBeVisible()
  })

  await test.step('filtered by a line of text', async () => {
    await hand.fill(page.getByRole('combobox', { name: 'Search the log' }), 'client:cursor outcome:denied')
    await page.keyboard.press('Enter')
    await expect.poll(() => rowsOf(grid)).toBeLessThan(everything / 10)
    expect(page.url()).toContain('q=client%3Acursor+outcome%3Adenied')
    const cells = await grid.locator('[role=row][aria-rowindex="2"]').innerText()
    expect(cells).toMatch(/cursor/i)
    expect(cells).toMatch(/denied/)
  })

  await test.step('filtered further by a facet, and an entry looked at', async () => {
    const before = await rowsOf(grid)
    await hand.press(page.getByRole('region', { name: 'Tool' }).getByRole('button', { name: /^store_secret,/ }))
    await expect.poll(() => rowsOf(grid)).toBeLessThan(before)
    await grid.focus()
    await page.keyboard.press('Enter')
    const entry = page.getByRole('complementary', { name: /^store_secret/ })
    await expect(entry).toContainText('denied')
    await expect(entry).toContainText('not recorded')
    await page.keyboard.press('Escape')
    await expect(entry).toBeHidden()
  })

  await test.step('exported as it is filtered', async () => {
    const rows = (await rowsOf(grid)) - 1
    const file = path.join(desk.home, 'filtered.jsonl')
    await hand.press(page.getByRole('button', { name: 'Export…' }))
    const dialog = page.getByRole('dialog', { name: 'Export' })
    await hand.fill(dialog.getByLabel('File'), file)
    await hand.press(dialog.getByRole('button', { name: 'Export', exact: true }))
    await expect(dialog).toContainText(`Wrote ${new Intl.NumberFormat('en').format(rows)} rows`)
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    expect(lines).toHaveLength(rows)
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ client: 'cursor', outcome: 'denied', tool: 'store_secret' })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await hand.press(dialog.getByRole('button', { name: 'Close' }))
  })

  await test.step('verified', async () => {
    await hand.press(page.getByRole('button', { name: 'Verify' }))
    await expect(page.getByText(/Chain intact/)).toBeVisible({ timeout: 60_000 })
  })
})

/** With the head of the table. */
async function rowsOf(grid: Locator): Promise<number> {
  return Number(await grid.getAttribute('aria-rowcount'))
}
