import { expect, test } from './support/story.ts'

const CUT_OFF = 'NEW_KEY=fresh-value\nCHANGED="cut off'
const WHOLE = `# from a colleague\nexport NEW_KEY=fresh-value\r\nCHANGED="other value"\nSAME='kept value'\nEMPTY=\n`

test('a .env is imported after a preview, and one that was cut off is not', async ({ openDesk }) => {
  const desk = await openDesk()
  const { page, hand } = desk
  await desk.put({ 'app/CHANGED': 'former value', 'app/SAME': 'kept value' })
  await desk.ask('secrets.describe', { name: 'app/CHANGED', tags: ['work'], expires: null })
  await desk.go('secrets')
  await hand.press(page.getByRole('button', { name: 'Import .env' }))
  const dialog = page.getByRole('dialog', { name: 'Import a .env' })

  await hand.fill(dialog.getByLabel('Text'), CUT_OFF)
  await hand.press(dialog.getByRole('button', { name: 'Preview' }))
  await expect(dialog.getByRole('alert')).toContainText('Nothing was imported')
  await expect(dialog.getByRole('alert')).toContainText('Line 2: the " that opens here is never closed.')
  expect(await desk.ask('secrets.list')).toHaveLength(2)

  await hand.fill(dialog.getByLabel('Text'), WHOLE)
  await hand.press(dialog.getByRole('button', { name: 'Preview' }))
  await hand.fill(dialog.getByLabel('Put before every name'), 'app/')
  await expect(dialog.getByText('1 new, 1 changed, 1 the same, 1 left out')).toBeVisible()
  await expect(dialog.getByRole('row', { name: /app\/NEW_KEY/ })).toContainText('new')
  await expect(dialog.getByRole('row', { name: /app\/EMPTY/ })).toContainText('left out: it is empty')
  for (const value of ['fresh-value', 'other value', 'kept value']) await expect(page.locator('body')).not.toContainText(value)
  await hand.press(dialog.getByRole('button', { name: 'Import 2 secrets' }))
  await expect(dialog.getByRole('status')).toHaveText('2 secrets stored.')
  await hand.press(dialog.getByRole('button', { name: 'Close' }))

  expect(await desk.ask('secrets.list')).toMatchObject([
    { name: 'app/CHANGED', version: 2, tags: ['work'] },
    { name: 'app/NEW_KEY', version: 1 },
    { name: 'app/SAME', version: 1 },
  ])
  expect(await desk.ask('secrets.reveal', { name: 'app/CHANGED', purpose: 'show' })).toEqual({ value: 'other value' })
})
