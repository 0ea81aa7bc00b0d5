// The desktop app in a real Electron on a screen of its own. The person in these tests sits before its windows.

import { spawn } from 'node:child_process'
import path from 'node:path'
import { _electron, type ElectronApplication, type Page } from 'playwright'
import { desktopTwin } from '../../scripts/desktop-twin.ts'
import { testElectron } from '../../scripts/electron.ts'
import type { ApprovalView } from '../../src-shared/approval.ts'
import type { Desktop as DesktopLink } from '../../src-shared/desktop.ts'
import type { MethodName, ParamsIn, Result } from '../../src-shared/rpc.ts'
import { answering, type Answering } from './answering.ts'
import { dist } from './host.ts'
import { keepAnswers } from './kept-answers.ts'
import { until, type Screen } from './screen.ts'

export interface Desktop {
  home: string
  app: ElectronApplication
  main: Page
  prompt: Page
  /** Asks the host as the main window would. */
  ask: <M extends MethodName>(method: M, params?: ParamsIn<M>) => Promise<Result<M>>
  /** An answer through the main window, without the clicks. */
  answer: Answering['answer']
  waiting: (count?: number) => Promise<ApprovalView[]>
  isPromptVisible: () => Promise<boolean>
  promptComesUp: () => Promise<void>
  /** As the person does it; resolves when the app is gone. */
  quit: () => Promise<void>
  kill: () => Promise<void>
}

export interface DesktopOptions {
  home: string
  screen: Screen
  args?: string[]
  env?: NodeJS.ProcessEnv
  /** The program to start in place of Electron itself, which then is nobody with root's privileges. */
  program?: string
  /** The packaged app in place of Electron and our script. */
  packaged?: string
}

/** Chromium has no sandbox for root. */
export const rootArgs = process.getuid?.() === 0 ? ['--no-sandbox'] : []

export async function startDesktop({ home, screen, args = [], env = {}, program, packaged }: DesktopOptions): Promise<Desktop> {
  const app = await _electron.launch({
    executablePath: packaged ?? program ?? testElectron(),
    args: [...(program === undefined ? rootArgs : []), ...(packaged === undefined ? [desktopTwin()] : []), ...args],
    env: desktopEnv({ home, screen, env }),
  })
  keepAnswers(app)
  const main = await pageOf(app, 'index.html')
  const prompt = await pageOf(app, 'prompt.html')
  const ask: Desktop['ask'] = async (method, params) => {
    const outcome = await main.evaluate(
      async ([method, params]) => {
        const page = window as unknown as { countersign: DesktopLink; asked?: Set<unknown> }
        const answer = page.countersign.call(method, params)
        // Nothing else holds it: what the driver waits for may be collected as garbage.
        page.asked ??= new Set()
        page.asked.add(answer)
        return answer.finally(() => page.asked?.delete(answer))
      },
      [method, params ?? {}] as const,
    )
    if ('error' in outcome) throw new Error(`${outcome.error.code}: ${outcome.error.message}`)
    return outcome.result as never // The contract types the result by its method.
  }
  const child = app.process()
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const isPromptVisible = () =>
    app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().some((window) => window.webContents.getURL().includes('prompt.html') && window.isVisible()),
    )
  return {
    home,
    app,
    main,
    prompt,
    ask,
    answer: answering(ask).answer,
    waiting: async (count = 1) => {
      let open: ApprovalView[] = []
      await until(`${count} open approvals`, async () => {
        open = (await ask('approvals.list')).open
        return open.length === count
      })
      return open
    },
    isPromptVisible,
    promptComesUp: async () => {
      await until('the prompt to come up', isPromptVisible)
      await prompt.getByRole('button', { name: /^Deny/ }).waitFor()
    },
    quit: async () => {
      // At once: what is put off from here is not run before something else wakes the app. The connection to it may be gone before
      // the answer to this is.
      await app.evaluate(({ app }) => app.quit()).catch(() => null)
      await gone
    },
    kill: async () => {
      child.kill('SIGKILL')
      await gone
    },
  }
}

export function desktopEnv({ home, screen, env = {} }: DesktopOptions): Record<string, string> {
  const all = { ...process.env, ...screen.env, COUNTERSIGN_HOME: home, ...env }
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

async function pageOf(app: ElectronApplication, name: string): Promise<Page> {
  const find = () => app.windows().find((page) => page.url().includes(name))
  // A window is announced before it has an address.
  await until(`the window with ${name}`, () => Promise.resolve(find() !== undefined), 30_000)
  const page = find()
  if (page === undefined) throw new Error(`there is no window with ${name}`)
  await page.waitForLoadState()
  return page
}

/** The app as a plain process, without anything that drives it. */
export function spawnDesktop(options: DesktopOptions): {
  pid: number
  output: () => string
  exited: Promise<number | null>
  kill: () => void
} {
  const child = spawn(testElectron(), [...rootArgs, path.join(dist, 'desktop.js'), ...(options.args ?? [])], {
    env: desktopEnv(options),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { pid: child.pid ?? 0, output: () => output, exited, kill: () => child.kill('SIGKILL') }
}
