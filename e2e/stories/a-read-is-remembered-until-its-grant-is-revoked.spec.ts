import { expect, test } from './support/story.ts'

test('a read under "first" is asked, remembered as a grant, and asked again once the grant is revoked', async ({ openDesk }) => {
  const desk = await openDesk()
  const { page, hand } = desk
  const cursor = await desk.client('cursor', 'Cursor', { reads: 'first' })
  await desk.put({ 'github/token': 'ghp_read', 'aws/key': 'AKIA' })
  const read = (name: string) => cursor.call('get_secret', { name })

  // A program that nobody has allowed anything yet is not remembered.
  const first = read('github/token')
  const fresh = await desk.question('github/token')
  await expect(fresh).toContainText('New program')
  await expect(fresh.getByRole('group', { name: 'If you allow it, remember' })).toBeHidden()
  await desk.answer(fresh, 'allow')
  expect(await first).toBe('ghp_read')

  const second = read('github/token')
  const known = await desk.question('github/token')
  await expect(known).toContainText('verified')
  await expect(known.getByLabel('Just this once')).toBeChecked()
  await hand.choose(known.getByLabel('15 minutes'))
  await expect(known).toContainText('Cursor may read github/token without asking for 15 minutes.')
  await desk.answer(known, 'allow')
  expect(await second).toBe('ghp_read')
  expect(await read('github/token')).toBe('ghp_read')

  // The grant is for this secret alone, and for reading it.
  const other = read('aws/key')
  await desk.answer(await desk.question('aws/key'), 'deny')
  expect(await other).toBe('Error: Denied by the person')
  const removal = cursor.call('remove_secret', { name: 'github/token' })
  await desk.answer(await desk.question('github/token'), 'deny')
  expect(await removal).toBe('Error: Denied by the person')

  await desk.go('clients')
  const card = page.getByRole('article', { name: 'Cursor' })
  const revoke = card.getByRole('button', { name: /^Revoke: .*github\/token/ })
  await hand.press(revoke)
  await expect(revoke).toBeHidden()
  const last = read('github/token')
  await desk.answer(await desk.question('github/token'), 'deny')
  expect(await last).toBe('Error: Denied by the person')
})
