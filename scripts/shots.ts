// `npm run shots`: a picture of every screen, light and dark, in a large and in a small window, and of the prompt. All of them go to
// .scratch/shots for people to look at; those that the README and the guide show go to docs/images. What is on them is made up, but
// made through the real host, by real clients, over a log filled by scripts/fill-audit.ts. `npm run shots -- clients prompt` takes
// only the pictures of these names.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
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
const IN_DOCS = ['audit', 'secrets', 'policies', 'prompt', 'prompt-read', 'welcome', 'clients', 'clients-add']
const only = process.argv.slice(2)
const isWanted = (name: string): boolean => only.length === 0 || only.includes(name)
const ROWS = 6_000
const DAYS = 30
/** One with a denied read among the newest calls, which the picture of the log is about. */
const SEED = 11

// Whoever looks at who is asking should see an AI client, not this script.
process.title = 'cursor'
mkdirSync(all, { recursive: true })
mkdirSync(images, { recursive: true })
const works: (() => Promise<void> | void)[] = []
const atEnd = (work: () => Promise<void> | void) => void works.push(work)
try {
  if (only.length === 0 || only.some((name) => !name.startsWith('prompt'))) await shootScreens()
  if (['prompt', 'prompt-read'].some(isWanted)) await shootPrompt()
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
  // The folder is where it usually is, so that no setting for another one is written into the files of the clients.
  const first = await openInBrowser(browser, hands.mouse, atEnd, {
    env: { HOME: personWithClients(), XDG_CONFIG_HOME: '', COUNTERSIGN_HOME: '' },
  })
  await first.page.getByRole('heading', { name: 'Welcome to Countersign' }).waitFor()
  await shoot(first.page, 'welcome')
  await first.go('clients')
  await shootDialog(first.page, 'clients-add', 'Claude Desktop', 'Add…')
  await first.ask('clients.register', { id: 'vscode', name: 'VS Code', policy: 'default' })
  await shootDialog(first.page, 'clients-link', 'VS Code', 'Install link…')

  const desk = await openInBrowser(browser, hands.mouse, atEnd, {
    prepare: (home) => fillLog(home, ROWS, DAYS, SEED),
    env: { HOME: personWithClients(), XDG_CONFIG_HOME: '' },
  })
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
  await desk.ask('registrations.add', { client: 'cursor', policy: 'work' })
  await page.getByText('✓ registered').waitFor()
  await shoot(page, 'clients')
  await desk.go('settings')
  await page.getByRole('group', { name: 'Theme' }).waitFor()
  await shoot(page, 'settings')
}

async function shootDialog(page: Page, name: string, client: string, button: string): Promise<void> {
  const found = page.getByRole('region', { name: 'On this computer' }).getByRole('article', { name: client, exact: true })
  await found.getByRole('button', { name: button }).click()
  await page.getByRole('dialog').getByRole('button').last().waitFor()
  await shoot(page, name)
  await page.keyboard.press('Escape')
}

/** The home of somebody who has three AI clients. */
function personWithClients(): string {
  const home = path.join(mkdtempSync(path.join(tmpdir(), 'home-')), 'ada')
  atEnd(() => rmSync(path.dirname(home), { recursive: true, force: true }))
  const github = { command: 'npx', args: ['-y', 'github-mcp'], env: { GITHUB_TOKEN: 'ghp_demodemodemodemodemodemodemodemo' } }
  const files = {
    '.config/Claude/claude_desktop_config.json': { mcpServers: { github } },
    '.cursor/mcp.json': { mcpServers: {} },
    '.config/Code/User/mcp.json': { servers: {} },
  }
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true })
    writeFileSync(path.join(home, file), `${JSON.stringify(content, null, 2)}\n`)
  }
  return home
}

async function shootPrompt(): Promise<void> {
  const screen = await startScreen()
  atEnd(() => screen.close())
  const desk = await openInElectron(screen, hands.mouse, atEnd, {})
  await desk.put({ 'dev/github-token': 'demo', 'dev/postgres-url': 'demo' })
  const cursor = await desk.client('cursor', 'Cursor', { name: 'work', allow: ['dev/*', 'staging/*'] })
  const store = () => cursor.call('store_secret', { name: 'dev/github-token', value: 'ghp_demo', force: true })
  // Whoever was allowed once is known from then on.
  const known = store()
  await desk.answer(await desk.question('dev/github-token'), 'allow')
  await known
  await ask(desk, 'prompt-read', () => cursor.call('get_secret', { name: 'dev/postgres-url' }), 'dev/postgres-url')
  await ask(desk, 'prompt', store, 'dev/github-token')
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
  if (!isWanted(name)) return
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
  if (IN_DOCS.includes(name)) copyFileSync(path.join(all, file), path.join(images, `${name}-${scheme}.png`))
}
