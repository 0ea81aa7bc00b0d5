// `npm run shots`: a picture of every screen, light and dark, in a large and in a small window, and of the prompt. All of them go to
// .scratch/shots for people to look at; the few that the README shows go to docs/images. What is on them is made up, but made
// through the real host, by real clients, over a log filled by scripts/fill-audit.ts.

import { copyFileSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { chromium, type Page } from 'playwright'
import { guardOpens, openInBrowser, openInElectron, type Desk } from '../e2e/stories/support/desk.ts'
import { fillLog, furnish } from '../e2e/stories/support/furnish.ts'
import { hands } from '../e2e/stories/support/hand.ts'
import { startScreen } from '../e2e/support/screen.ts'

const root = path.join(import.meta.dirname, '..')
const all = path.join(root, '.scratch', 'shots')
const images = path.join(root, 'docs', 'images')
const SIZES = [
  { width: 1280, height: 800 },
  { width: 720, height: 480 },
]
const SCHEMES = ['light', 'dark'] as const
/** Of those in the large window. */
const IN_README = ['audit', 'secrets', 'policies', 'prompt']
const ROWS = 6_000
const DAYS = 30

// Whoever looks at who is asking should see an AI client, not this script.
process.title = 'cursor'
mkdirSync(all, { recursive: true })
mkdirSync(images, { recursive: true })
const works: (() => Promise<void> | void)[] = []
const atEnd = (work: () => Promise<void> | void) => void works.push(work)
try {
  await shootScreens()
  await shootPrompt()
} finally {
  for (const work of works.toReversed()) await work()
}

async function shootScreens(): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [], // Chromium has no sandbox for root.
  })
  atEnd(() => browser.close())

  const fresh = await openInBrowser(browser, hands.mouse, atEnd, { atTheDoor: true })
  await shoot(fresh.page, 'login')
  const first = await openInBrowser(browser, hands.mouse, atEnd, {})
  await first.page.getByRole('heading', { name: 'Welcome to Countersign' }).waitFor()
  await shoot(first.page, 'welcome')

  const desk = await openInBrowser(browser, hands.mouse, atEnd, { prepare: (home) => fillLog(home, ROWS, DAYS) })
  const { page } = desk
  const { cursor } = await furnish(desk)
  // Opened anew, as it would be on another day.
  await page.goto(new URL('#/audit?q=client%3Aclaude-desktop+event%3Acall+last%3A14d', page.url()).href)
  await page.reload()
  const denied = page.getByRole('row').filter({ hasText: 'get_secret' }).filter({ hasText: 'denied' })
  await denied.first().click()
  await page
    .getByRole('complementary', { name: /^get_secret/ })
    .getByRole('heading', { name: 'Process' })
    .waitFor()
  await shoot(page, 'audit')
  await page.keyboard.press('Escape')
  await desk.go('audit')
  const waiting = cursor.call('store_secret', { name: 'dev/github-token', value: 'ghp_demo', force: true })
  const question = await desk.question('dev/github-token')
  await guardOpens(question)
  await shoot(page, 'audit-waiting')
  await desk.answer(question, 'deny')
  await waiting
  await desk.go('secrets')
  await page.getByRole('link', { name: 'dev/github-token' }).click()
  await page.getByRole('complementary').waitFor()
  await shoot(page, 'secrets')
  await desk.go('policies')
  await page.getByRole('link', { name: /^work/ }).click()
  await page.getByLabel('Deny: another pattern').fill('dev/stripe-*')
  await page.keyboard.press('Enter')
  await page.getByText('decided once more').waitFor()
  await shoot(page, 'policies')
  await desk.go('clients')
  await page.getByRole('article', { name: 'Cursor' }).waitFor()
  await shoot(page, 'clients')
  await desk.go('settings')
  await page.getByRole('group', { name: 'Theme' }).waitFor()
  await shoot(page, 'settings')
}

async function shootPrompt(): Promise<void> {
  const screen = await startScreen()
  atEnd(() => screen.close())
  const desk = await openInElectron(screen, hands.mouse, atEnd, {})
  const { cursor, claude } = await furnish(desk)
  await ask(desk, 'prompt-read', () => claude.call('get_secret', { name: 'dev/postgres-url' }), 'dev/postgres-url')
  await ask(
    desk,
    'prompt',
    () => cursor.call('store_secret', { name: 'dev/github-token', value: 'ghp_demo', force: true }),
    'dev/github-token',
  )
}

async function ask(desk: Desk, name: string, call: () => Promise<string>, secret: string): Promise<void> {
  const answer = call()
  const question = await desk.question(secret)
  await guardOpens(question)
  for (const scheme of SCHEMES) {
    await settle(desk.prompt, scheme)
    await desk.prompt.screenshot({ path: path.join(all, `${name}-${scheme}.png`) })
    keep(name, scheme, `${name}-${scheme}.png`)
  }
  await desk.answer(question, 'deny')
  await answer
}

/** Whatever follows the colours and the size of the window has done so two frames later, and no pointer rests on anything. */
async function settle(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.mouse.move(1, 1)
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
}

async function shoot(page: Page, name: string): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size)
    for (const scheme of SCHEMES) {
      await settle(page, scheme)
      const file = `${name}-${scheme}-${size.width}x${size.height}.png`
      await page.screenshot({ path: path.join(all, file) })
      if (size.width === SIZES[0]?.width) keep(name, scheme, file)
    }
  }
  await page.setViewportSize(SIZES[0] ?? { width: 1280, height: 800 })
}

function keep(name: string, scheme: string, file: string): void {
  if (IN_README.includes(name)) copyFileSync(path.join(all, file), path.join(images, `${name}-${scheme}.png`))
}
