// How the person acts. A story says what is done; whether with the mouse or with the keyboard alone is the project's choice.

import type { Locator } from '@playwright/test'
import type { HandKind } from './options.ts'

export interface Hand {
  kind: HandKind
  press: (target: Locator) => Promise<void>
  /** Ticks a box or picks one of several. */
  choose: (target: Locator) => Promise<void>
  /** Replaces what is in a field. */
  fill: (target: Locator, text: string) => Promise<void>
  /** Picks an option of a list by its label. */
  select: (target: Locator, label: string) => Promise<void>
}

const MOST_TABS = 400

export const hands: Record<HandKind, Hand> = {
  mouse: {
    kind: 'mouse',
    press: (target) => target.click(),
    choose: (target) => target.check(),
    fill: (target, text) => target.fill(text),
    select: async (target, label) => void (await target.selectOption({ label })),
  },
  keyboard: {
    kind: 'keyboard',
    press: async (target) => {
      await reach(target)
      await target.page().keyboard.press('Enter')
    },
    choose: async (target) => {
      const { keyboard } = target.page()
      await reachGroup(target)
      for (let step = 0; step < 20 && !(await target.isChecked()); step++)
        await keyboard.press((await target.getAttribute('type')) === 'radio' ? 'ArrowDown' : 'Space')
    },
    fill: async (target, text) => {
      const { keyboard } = target.page()
      await reach(target)
      await keyboard.press('Control+a')
      await keyboard.press('Delete')
      await keyboard.insertText(text)
    },
    select: async (target, label) => {
      await reach(target)
      await target.page().keyboard.type(label)
    },
  },
}

async function reach(target: Locator): Promise<void> {
  await target.waitFor()
  await tabUntil(target, (element) => element === document.activeElement)
}

/** Of radio buttons that belong together, Tab comes to one alone; the arrows lead on. */
async function reachGroup(target: Locator): Promise<void> {
  await target.waitFor()
  await tabUntil(target, (element) => {
    const focused = document.activeElement
    const name = element instanceof HTMLInputElement && element.type === 'radio' ? element.name : null
    return element === focused || (name !== null && focused instanceof HTMLInputElement && focused.name === name)
  })
}

async function tabUntil(target: Locator, isThere: (element: Element) => boolean): Promise<void> {
  const { keyboard } = target.page()
  for (let tab = 0; tab < MOST_TABS; tab++) {
    if (await target.evaluate(isThere)) return
    await keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${String(target)}`)
}
