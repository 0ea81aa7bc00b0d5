import { test as base, type Browser } from '@playwright/test'
import type { AtEnd } from '../../support/host.ts'
import { startScreen, type Screen } from '../../support/screen.ts'
import { openInBrowser, openInElectron, type Desk, type DeskOptions } from './desk.ts'
import { hands } from './hand.ts'
import type { HandKind, StoryOptions } from './options.ts'

export { expect } from '@playwright/test'

type Window = { browser: Browser } | { screen: Screen; packaged: boolean }

type OpenDesk = (options?: DeskOptions) => Promise<Desk>

interface Fixtures {
  openDesk: OpenDesk
}

interface WorkerFixtures extends StoryOptions {
  /** What a desk is looked at through, for all stories of a worker. */
  sight: Window
  /** One desk for all stories of a worker that leave it as it was. */
  sharedDesk: Desk
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  shell: ['browser', { option: true, scope: 'worker' }],
  by: ['mouse', { option: true, scope: 'worker' }],
  sight: [
    async ({ shell, playwright }, use) => {
      if (shell !== 'browser') {
        const screen = await startScreen()
        await use({ screen, packaged: shell === 'packaged' })
        return screen.close()
      }
      const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [] // Chromium has no sandbox for root.
      const browser = await playwright.chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args })
      await use({ browser })
      await browser.close()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  openDesk: ({ sight, by }, use) => lend(sight, by, use),
  sharedDesk: [({ sight, by }, use) => lend(sight, by, async (open) => use(await open())), { scope: 'worker', timeout: 60_000 }],
})

/** Lends a way to open desks; afterwards everything that was opened is closed, the last first. */
async function lend(sight: Window, by: HandKind, use: (open: OpenDesk) => Promise<void>): Promise<void> {
  const works: Parameters<AtEnd>[0][] = []
  const atEnd: AtEnd = (work) => void works.push(work)
  const hand = hands[by]
  await use((options = {}) =>
    'browser' in sight
      ? openInBrowser(sight.browser, hand, atEnd, options)
      : openInElectron(sight.screen, hand, atEnd, options, sight.packaged),
  )
  for (const work of works.toReversed()) await work()
}
