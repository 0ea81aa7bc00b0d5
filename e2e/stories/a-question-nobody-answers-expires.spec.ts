import { expect, test } from './support/story.ts'

test('a question that nobody answers expires, and that is a denial', async ({ openDesk }) => {
  test.setTimeout(120_000)
  const desk = await openDesk()
  // A real minute: the shortest that can be set.
  await desk.ask('settings.set', { promptMinutes: 1, waitSeconds: 90 })
  const cursor = await desk.client('cursor', 'Cursor')

  const answer = cursor.call('store_secret', { name: 'github/token', value: 'ghp_never' })
  const question = await desk.question('github/token')
  await expect(question.getByRole('timer')).toContainText(/denied in 0:[0-5]\d/)

  expect(await answer).toBe('Error: The request for approval expired unanswered')
  await expect(question).toBeHidden()
  expect(await desk.ask('secrets.list')).toEqual([])
  const { rows } = await desk.ask('audit.query', { filter: { client: ['cursor'], event: ['call'] } })
  expect(rows).toMatchObject([{ tool: 'store_secret', outcome: 'expired' }])
})
