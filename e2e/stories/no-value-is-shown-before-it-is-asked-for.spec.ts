import { expect, test } from './support/story.ts'
import { watchPage } from './support/traffic.ts'

const SENTINEL = 'Sentinel-7Qx!kd93 value'

test('no value reaches a window before the person asks to see it', async ({ openDesk, shell }) => {
  const desk = await openDesk()
  const { page, prompt, hand, traffic } = desk
  const wasSeen = await watchPage(page, SENTINEL)
  const cursor = await desk.client('cursor', 'Cursor', { reads: 'first' })

  const store = cursor.call('store_secret', { name: 'github/token', value: SENTINEL })
  const first = await desk.question('github/token')
  const wasAsked = await watchPage(prompt, SENTINEL)
  await desk.answer(first, 'allow')
  expect(await store).toBe("Stored secret 'github/token'")
  const read = cursor.call('get_secret', { name: 'github/token' })
  await desk.answer(await desk.question('github/token'), 'allow')
  expect(await read).toBe(SENTINEL)
  const misplaced = await cursor.call('store_secret', { name: `not a name: ${SENTINEL}`, value: 'x' })
  expect(misplaced).toContain('Error')
  const again = cursor.call('store_secret', { name: 'github/token', value: `${SENTINEL} 2`, force: true })
  const last = await desk.question('github/token')
  expect(await wasAsked()).toBe(false)
  await desk.answer(last, 'deny')
  expect(await again).toBe('Error: Denied by the person')

  for (const screen of ['clients', 'policies', 'settings', 'audit', 'secrets'] as const) await desk.go(screen)
  await hand.press(page.getByRole('link', { name: 'github/token' }))
  const detail = page.getByRole('complementary', { name: 'github/token' })
  await expect(detail.getByRole('button', { name: 'Show' })).toBeVisible()
  expect(await wasSeen()).toBe(false)
  expect(await traffic.holding(SENTINEL)).toEqual([])
  expect(await traffic.count()).toBeGreaterThan(20)

  // In a window of the desktop even a copy passes the window by; a page in a browser has to fetch it.
  if (shell === 'electron') {
    await hand.press(detail.getByRole('button', { name: 'Copy' }))
    await expect(detail.getByText('Copied')).toBeVisible()
    expect(await desk.clipboard()).toBe(SENTINEL)
    expect(await wasSeen()).toBe(false)
    expect(await traffic.holding(SENTINEL)).toEqual([])
  }

  await hand.press(detail.getByRole('button', { name: 'Show' }))
  await expect(detail.getByLabel('The value of github/token')).toHaveText(SENTINEL)
  expect(await wasSeen()).toBe(true)
  expect(await traffic.holding(SENTINEL)).toHaveLength(1)
  await hand.press(detail.getByRole('button', { name: 'Hide' }))
  await expect(page.locator('body')).not.toContainText(SENTINEL)
})
