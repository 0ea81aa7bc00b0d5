// The desk as a person sees it, in either shell: a page in a browser before the headless host, or the windows of the desktop app.
// Stories are written against this and know no difference.

import { expect, type Browser, type Locator, type Page } from '@playwright/test'
import type { ApprovalView } from '../../../src-shared/approval.ts'
import { DEFAULT_POLICY, type Policy } from '../../../src-shared/policy.ts'
import type { MethodName, ParamsIn, Result } from '../../../src-shared/rpc.ts'
import { twin } from '../../../scripts/packaged.ts'
import { startDesktop } from '../../support/desktop.ts'
import { enter, freshHome, startHost, type AtEnd } from '../../support/host.ts'
import type { Screen } from '../../support/screen.ts'
import { startAiClient, type AiClient } from './ai-client.ts'
import type { Hand } from './hand.ts'
import { recordIpc, recordSockets, type Traffic } from './traffic.ts'

export type ScreenName = 'welcome' | 'audit' | 'secrets' | 'policies' | 'clients' | 'settings'

interface Shell {
  home: string
  /** The main window, or the page. */
  page: Page
  /** Where questions are answered: a window of its own, or the same page. */
  prompt: Page
  traffic: Traffic
  /** What another program would find on the clipboard. */
  clipboard: () => Promise<string>
  /** What a person could do in a window, without the clicks: to prepare a story, and to see how it ended. */
  ask: <M extends MethodName>(method: M, params?: ParamsIn<M>) => Promise<Result<M>>
}

export interface Desk extends Shell {
  hand: Hand
  go: (screen: ScreenName) => Promise<void>
  /** Registers a client and starts it; `policy` is made for it from `default` and what is given, unless there is one of that name. */
  client: (id: string, name: string, policy?: Partial<Policy>, says?: string) => Promise<AiClient>
  /** A client nobody registered, that calls itself this. */
  stranger: (says: string) => Promise<AiClient>
  put: (secrets: Record<string, string>) => Promise<void>
  /** Waits for the question about a secret, where it can be answered. */
  question: (secret: string) => Promise<Locator>
  answer: (question: Locator, answer: 'allow' | 'deny') => Promise<void>
  open: () => Promise<ApprovalView[]>
}

export interface DeskOptions {
  env?: NodeJS.ProcessEnv
  /** Leaves the person before the door of the page, where nothing is set up yet. */
  atTheDoor?: boolean
  /** What has to be in the folder before the host starts. */
  prepare?: (home: string) => Promise<void>
}

const PIN = '271828'

export async function openInBrowser(browser: Browser, hand: Hand, atEnd: AtEnd, options: DeskOptions): Promise<Desk> {
  const home = freshHome(atEnd)
  await options.prepare?.(home)
  const host = await startHost({ atEnd, env: options.env ?? {}, home })
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  atEnd(() => context.close())
  const page = await context.newPage()
  const traffic = recordSockets(page)
  await page.goto(host.ready.url)
  if (options.atTheDoor !== true) await logIn(page)
  const person = () => (here ??= enter(host.ready.url, PIN))
  let here: ReturnType<typeof enter> | undefined
  const ask: Shell['ask'] = async (method, params) => (await person()).ask(method, params)
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  return desk({ home, page, prompt: page, traffic, clipboard, ask }, hand, atEnd)
}

/** The first visit sets the PIN. */
async function logIn(page: Page): Promise<void> {
  for (const label of ['PIN', 'PIN again']) await page.getByLabel(label, { exact: true }).fill(PIN)
  await page.getByRole('button', { name: 'Set PIN' }).click()
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
}

export async function openInElectron(screen: Screen, hand: Hand, atEnd: AtEnd, options: DeskOptions, packaged = false): Promise<Desk> {
  const home = freshHome(atEnd)
  await options.prepare?.(home)
  const desktop = await startDesktop({
    home,
    screen,
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(packaged ? { packaged: twin } : {}),
  })
  atEnd(() => desktop.kill())
  if (options.atTheDoor !== true) await desktop.main.getByRole('navigation', { name: 'Screens' }).waitFor()
  const traffic = await recordIpc(desktop.app)
  const clipboard = () => desktop.app.evaluate(({ clipboard }) => clipboard.readText())
  return desk({ home, page: desktop.main, prompt: desktop.prompt, traffic, clipboard, ask: desktop.ask }, hand, atEnd, packaged)
}

function desk(shell: Shell, hand: Hand, atEnd: AtEnd, packaged = false): Desk {
  const { home, page, prompt, ask } = shell
  const start = async (id: string | null, says?: string): Promise<AiClient> => {
    const client = await startAiClient({ home, id, packaged, ...(says === undefined ? {} : { says }) })
    atEnd(() => client.close())
    return client
  }
  const go: Desk['go'] = async (screen) => {
    const link = page.getByRole('navigation', { name: 'Screens' }).locator(`a[href^="#/${screen}"]`)
    await hand.press(link)
    await expect(link).toHaveAttribute('aria-current', 'page')
  }
  return {
    ...shell,
    hand,
    go,
    client: async (id, name, policy, says) => {
      const isThere = async () => (await ask('policies.list')).policies.some((one) => one.name === policy?.name)
      if (policy !== undefined && !(await isThere())) await ask('policies.save', { ...DEFAULT_POLICY, name: id, ...policy })
      await ask('clients.register', { id, name, policy: policy === undefined ? DEFAULT_POLICY.name : (policy.name ?? id) })
      return start(id, says)
    },
    stranger: (says) => start(null, says),
    put: async (secrets) => {
      for (const [name, value] of Object.entries(secrets)) await ask('secrets.store', { name, value })
    },
    question: async (secret) => {
      if (prompt === page && !page.url().includes('#/audit')) await go('audit')
      const question = prompt.getByRole('article').filter({ has: prompt.locator('h3 code').getByText(secret, { exact: true }) })
      await question.waitFor()
      return question
    },
    answer: async (question, answer) => {
      await guardOpens(question)
      const button = question.getByRole('button', { name: answer === 'allow' ? /^Allow/ : /^Deny/ })
      if (hand.kind === 'mouse') return button.click()
      // The keys go to the question that has the focus.
      for (let tab = 0; tab < 100 && !(await hasFocus(question)); tab++) await question.page().keyboard.press('Tab')
      await question.page().keyboard.press(answer === 'allow' ? 'Control+Enter' : 'Escape')
    },
    open: async () => (await ask('approvals.list')).open,
  }
}

const hasFocus = (question: Locator) => question.evaluate((element) => element.contains(document.activeElement))

/** Half a second after all of the question came into view, changed or moved. A person scrolls to what does not fit. */
export async function guardOpens(question: Locator): Promise<void> {
  const more = question.getByRole('button', { name: /^Scroll to see the whole request/ })
  await question.locator('[data-safe][aria-disabled=false]').waitFor()
  while (!(await question.locator('[data-allows][aria-disabled=false]').isVisible())) {
    if (await more.isVisible()) await more.dispatchEvent('click', {}, { timeout: 300 }).catch(() => null)
    await question
      .locator('[data-allows][aria-disabled=false]')
      .waitFor({ timeout: 300 })
      .catch(() => null)
  }
}
