// Allow counts only while title and warnings are wholly in view, and after every other fact has been.

import type { Locator } from '@playwright/test'
import type { Desk } from './support/desk.ts'
import { expect, test } from './support/story.ts'

const LONG = `dev/${'a-rather-long-name-of-a-secret-'.repeat(3)}end`
const SIZES = [
  { width: 1280, height: 800 },
  { width: 720, height: 480 },
]

const allowOf = (question: Locator) => question.getByRole('button', { name: /^Allow/ })
const denyOf = (question: Locator) => question.getByRole('button', { name: /^Deny/ })
const moreOf = (question: Locator) => question.getByRole('button', { name: /^Scroll to see the whole request/ })
const opens = (button: Locator) => expect(button).toHaveAttribute('aria-disabled', 'false')

/** Whether the middle of an element is what a person sees there. */
const isUncovered = (element: Locator) =>
  element.evaluate((node) => {
    const { left, top, width, height } = node.getBoundingClientRect()
    const there = document.elementFromPoint(left + Math.min(width / 2, 40), top + height / 2)
    return there !== null && (node.contains(there) || there.contains(node))
  })

async function three(desk: Desk): Promise<{ questions: Locator[]; answers: Promise<string>[] }> {
  const names = ['dev/one', 'dev/two', LONG]
  const answers: Promise<string>[] = []
  const questions: Locator[] = []
  for (const name of names) {
    const stranger = await desk.stranger('somebody')
    answers.push(stranger.call('store_secret', { name, value: 'v' }))
    questions.push(await desk.question(name))
  }
  return { questions, answers }
}

for (const size of SIZES) {
  test(`the third of three requests at ${size.width}×${size.height} is not allowed before it is in view`, async ({ openDesk }) => {
    const desk = await openDesk()
    await desk.page.setViewportSize(size)
    const { questions, answers } = await three(desk)
    const [first, , third] = questions
    if (first === undefined || third === undefined) throw new Error('three were asked')
    await opens(denyOf(third))
    await expect(allowOf(third)).toHaveAttribute('aria-disabled', 'true')
    await expect(allowOf(third)).toHaveAccessibleDescription(/^Scroll to see the whole request/)

    // By script, by keys on it, and by a click wherever it is.
    await allowOf(third).evaluate((button: HTMLElement) => button.focus({ preventScroll: true }))
    await desk.page.keyboard.press('Control+Enter')
    await desk.page.keyboard.press('Space')
    expect(await desk.open()).toHaveLength(3)

    await denyOf(first).focus()
    await third.scrollIntoViewIfNeeded()
    while (await moreOf(third).isVisible())
      await moreOf(third)
        .click({ timeout: 300 })
        .catch(() => null)
    await opens(allowOf(third))
    for (const part of ['h3', 'p[data-in-sight]']) {
      await expect(third.locator(part)).toBeInViewport({ ratio: 0.98 })
      expect(await isUncovered(third.locator(part))).toBe(true)
    }
    await allowOf(third).click()
    expect(await answers[2]).toBe(`Stored secret '${LONG}'`)
    for (const { id, revision } of await desk.open()) await desk.ask('approvals.answer', { id, revision, answer: 'deny' })
  })
}

test('a request whose facts do not fit into a small window is allowed by keys alone, after all of them were in view', async ({
  openDesk,
}) => {
  const desk = await openDesk()
  await desk.page.setViewportSize({ width: 720, height: 480 })
  const stranger = await desk.stranger('a-program-with-quite-a-long-name-for-itself')
  await desk.put({ [LONG]: 'v' })
  const answer = stranger.call('store_secret', { name: LONG, value: 'w', force: true })
  const question = await desk.question(LONG)
  await opens(denyOf(question))
  await expect(question.locator('h3')).toBeInViewport({ ratio: 0.98 })
  await expect(allowOf(question)).toBeInViewport({ ratio: 0.98 })
  await desk.page.keyboard.press('Control+Enter')
  expect(await desk.open()).toHaveLength(1)
  await expect(moreOf(question)).toBeVisible()
  await moreOf(question).focus()
  await expect(async () => {
    if (await moreOf(question).isVisible()) await desk.page.keyboard.press('Enter')
    await expect(moreOf(question)).toBeHidden({ timeout: 200 })
  }).toPass()
  await expect(denyOf(question)).toBeFocused()
  await opens(allowOf(question))
  for (const fact of await question.locator('dd').all()) expect(await fact.isVisible()).toBe(true)
  await desk.page.keyboard.press('Control+Enter')
  expect(await answer).toBe(`Stored secret '${LONG}'`)
})
