// The prompt's guard, against everything that is not a person who has read the question.

import type { Locator, Page } from '@playwright/test'
import { guardOpens, type Desk } from './support/desk.ts'
import { expect, test } from './support/story.ts'

const GUARD_MS = 500
const MOST_ROUNDS = 8

interface Asked {
  desk: Desk
  page: Page
  question: Locator
  answer: Promise<string>
  allow: Locator
  deny: Locator
}

let asks = 0

/** Each time another client: one may not ask without end. */
async function ask(desk: Desk): Promise<Asked> {
  const name = `github/token-${++asks}`
  const cursor = await desk.client(`cursor-${asks}`, 'Cursor')
  const answer = cursor.call('store_secret', { name, value: 'ghp_guarded' })
  const question = await desk.question(name)
  const button = (name: RegExp) => question.getByRole('button', { name })
  return { desk, page: desk.prompt, question, answer, allow: button(/^Allow/), deny: button(/^Deny/) }
}

/** Still open, still undecided, and the person can deny it. */
async function expectUndecided({ desk, question, answer, deny }: Asked): Promise<void> {
  await guardOpens(question)
  expect(await desk.open()).toHaveLength(1)
  await deny.click()
  expect(await answer).toBe('Error: Denied by the person')
}

async function middleOf(target: Locator): Promise<[x: number, y: number]> {
  const box = await target.boundingBox()
  if (box === null) throw new Error('there is nothing to click on')
  return [box.x + box.width / 2, box.y + box.height / 2]
}

test('Deny has the first focus', async ({ sharedDesk }) => {
  const asked = await ask(sharedDesk)
  await expect(asked.deny).toBeFocused()
  await expectUndecided(asked)
})

/** When a question last came up and when a hand last struck, by the page's own clock. */
async function keepMarks(page: Page): Promise<() => Promise<{ came: number; struck: number }>> {
  await page.evaluate(() => {
    if ('marks' in window) return
    const marks = { came: 0, struck: 0 }
    Object.assign(window, { marks })
    const isQuestion = (node: Node) =>
      node instanceof Element && [node, ...node.querySelectorAll('*')].some(({ tagName }) => tagName === 'ARTICLE')
    new MutationObserver((changes) => {
      if (changes.some(({ addedNodes }) => [...addedNodes].some(isQuestion))) marks.came = performance.now()
    }).observe(document, { subtree: true, childList: true })
    for (const type of ['keydown', 'pointerdown']) document.addEventListener(type, () => (marks.struck = performance.now()), true)
  })
  return () => page.evaluate(() => (window as unknown as { marks: { came: number; struck: number } }).marks)
}

const STRIKES: Record<string, (asked: Asked) => Promise<void>> = {
  Enter: ({ page }) => page.keyboard.press('Enter'),
  Space: ({ page }) => page.keyboard.press('Space'),
  'Ctrl+Enter': ({ page }) => page.keyboard.press('Control+Enter'),
  Escape: ({ page }) => page.keyboard.press('Escape'),
  'a click on Allow': async ({ page, allow }) => page.mouse.click(...(await middleOf(allow))),
  'a click on Deny': async ({ page, deny }) => page.mouse.click(...(await middleOf(deny))),
}

/** Asks, strikes, and looks whether that was within the guard's time; as often as a busy machine needs to be in time once. */
async function strikeInTime(desk: Desk, strike: (asked: Asked) => Promise<void>): Promise<Asked> {
  if (desk.prompt === desk.page) await desk.go('audit')
  const marks = await keepMarks(desk.prompt)
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const asked = await ask(desk)
    await strike(asked)
    const { came, struck } = await marks()
    if (struck - came < GUARD_MS) return asked
    await end(asked)
  }
  throw new Error(`this machine was too slow ${MOST_ROUNDS} times`)
}

for (const [name, strike] of Object.entries(STRIKES)) {
  test(`${name} at once, or a quarter of a second later, is no answer`, async ({ sharedDesk }) => {
    await expectUndecided(await strikeInTime(sharedDesk, strike))
    await expectUndecided(
      await strikeInTime(sharedDesk, async (asked) => {
        await asked.page.waitForTimeout(250)
        await strike(asked)
      }),
    )
  })
}

/** Whatever became of it: nobody waits any more. */
async function end({ desk, answer }: Asked): Promise<void> {
  for (const { id, revision } of await desk.open()) await desk.ask('approvals.answer', { id, revision, answer: 'deny' })
  await answer
}

test('a press that began before the guard opened is no answer when it ends', async ({ sharedDesk }) => {
  const asked = await strikeInTime(sharedDesk, async ({ page, allow }) => {
    await page.mouse.move(...(await middleOf(allow)))
    await page.mouse.down()
  })
  await guardOpens(asked.question)
  await asked.page.mouse.up()
  await expectUndecided(asked)
})

test('the next question, in the place of the one before, has a guard of its own', async ({ sharedDesk }) => {
  const desk = sharedDesk
  const first = await ask(desk)
  const second = (await desk.client(`claude-${asks}`, 'Claude')).call('store_secret', { name: `aws/key-${asks}`, value: 'AKIA' })
  await expect.poll(async () => (await desk.open()).length).toBe(2)
  await guardOpens(first.question)
  await first.deny.focus()
  await desk.prompt.keyboard.press('Escape')
  // Whoever still strikes means the question that was there.
  await first.question.waitFor({ state: 'detached' })
  await desk.prompt.keyboard.press('Control+Enter')
  expect(await first.answer).toBe('Error: Denied by the person')
  const question = await desk.question(`aws/key-${asks}`)
  await guardOpens(question)
  expect(await desk.open()).toHaveLength(1)
  await desk.answer(question, 'deny')
  expect(await second).toBe('Error: Denied by the person')
})

test('held keys are no answer', async ({ sharedDesk }) => {
  const desk = sharedDesk
  // With Control held, a click on a link would open it elsewhere.
  if (desk.prompt === desk.page) await desk.go('audit')
  // Held since before the question came.
  await desk.prompt.keyboard.down('Control')
  await desk.prompt.keyboard.down('Enter')
  const asked = await ask(desk)
  const { page, question } = asked
  await page.keyboard.down('Enter')
  await guardOpens(question)
  for (let repeat = 0; repeat < 5; repeat++) await page.keyboard.down('Enter')
  await page.keyboard.up('Enter')
  await page.keyboard.up('Control')
  expect(await desk.open()).toHaveLength(1)

  // Enter and Space on Allow itself, held.
  await asked.allow.focus()
  for (const key of ['Enter', 'Space']) {
    for (let repeat = 0; repeat < 3; repeat++) await page.keyboard.down(key)
    await page.keyboard.up(key)
    expect(await desk.open()).toHaveLength(1)
  }
  await expectUndecided(asked)
})

test('Enter alone never allows, not even on Allow', async ({ sharedDesk }) => {
  const asked = await ask(sharedDesk)
  await guardOpens(asked.question)
  await asked.allow.focus()
  await asked.page.keyboard.press('Enter')
  await expectUndecided(asked)
})

test('the second half of a double click that lands on Allow is no answer', async ({ sharedDesk }) => {
  const asked = await ask(sharedDesk)
  await guardOpens(asked.question)
  await asked.page.mouse.move(...(await middleOf(asked.allow)))
  await asked.page.mouse.down({ clickCount: 2 })
  await asked.page.mouse.up({ clickCount: 2 })
  await expectUndecided(asked)
})

test('a script that clicks or strikes is no answer', async ({ sharedDesk }) => {
  const asked = await ask(sharedDesk)
  await guardOpens(asked.question)
  await asked.allow.evaluate((button: HTMLButtonElement) => {
    const strike = { bubbles: true, cancelable: true, composed: true }
    button.click()
    for (const type of ['pointerdown', 'pointerup', 'click']) button.dispatchEvent(new PointerEvent(type, strike))
    button.dispatchEvent(new MouseEvent('click', { ...strike, detail: 1 }))
    for (const type of ['keydown', 'keyup']) button.dispatchEvent(new KeyboardEvent(type, { ...strike, key: 'Enter', ctrlKey: true }))
    for (const type of ['keydown', 'keyup']) button.dispatchEvent(new KeyboardEvent(type, { ...strike, key: ' ' }))
  })
  await expectUndecided(asked)
})
