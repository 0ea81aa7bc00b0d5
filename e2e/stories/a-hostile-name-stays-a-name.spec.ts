import { guardOpens } from './support/desk.ts'
import { expect, test } from './support/story.ts'

const NAMES: [string, string, shown: RegExp][] = [
  ['markup', '<img src=x onerror="globalThis.ran=true"><script>globalThis.ran=true</script>', /<img src=x onerror=/],
  ['bidi, zero-width, tags and lone surrogates', 'Cur\u202esor\u200b\u{e0041}\ud800', /Cur⟨U\+202E⟩sor⟨U\+200B⟩⟨U\+E0041⟩/],
  ['escape sequences and line breaks', '\u001b[31mCursor\u001b[0m\nverified\r\n\u2028next', /⟨U\+001B⟩\[31mCursor/],
  ['ten thousand characters', `Cursor${'x'.repeat(10_000)}`, /Cursorx+…/],
]

test('a hostile name of a client is shown as text, on one line', async ({ openDesk }) => {
  const desk = await openDesk()
  const { prompt } = desk
  await prompt.evaluate(() => {
    const reports: string[] = []
    Object.assign(window, { reports })
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => reports.push(effectiveDirective))
  })
  let usual: string[] | null = null

  for (const [what, says, shown] of [['nothing special', 'cursor-vscode', /“cursor-vscode 1\.0\.0”/] as const, ...NAMES]) {
    await test.step(what, async () => {
      const stranger = await desk.stranger(says)
      const answer = stranger.call('store_secret', { name: 'github/token', value: 'ghp_hostile' })
      const question = await desk.question('github/token')
      const name = question.locator('bdi').filter({ hasText: '“' })
      await expect(name).toHaveText(shown)
      const text = await name.innerText()
      expect([...text].length).toBeLessThanOrEqual(52)
      // oxlint-disable-next-line no-control-regex
      expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/)
      expect(await name.evaluate((element) => element.getClientRects().length)).toBe(1)
      // The same elements as for any other name, apart from the way to see more of it. (Who asks is the system's word, not the client's.)
      const elements = await question.evaluate((element) => {
        const who = element.querySelector('dd')
        const others = [...element.querySelectorAll('*')].filter((one) => who?.contains(one) === false)
        return others.filter((one) => !one.matches('button[aria-expanded]')).map(({ tagName }) => tagName)
      })
      expect(elements).toEqual((usual ??= elements))
      expect(await question.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
      await guardOpens(question)
      await desk.answer(question, 'deny')
      expect(await answer).toBe('Error: Denied by the person')
      await stranger.close()
    })
  }
  expect(await prompt.evaluate(() => 'ran' in globalThis)).toBe(false)
  expect(await prompt.evaluate(() => (window as unknown as { reports: string[] }).reports)).toEqual([])
})
