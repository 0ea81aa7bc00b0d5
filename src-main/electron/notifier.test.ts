import { expect, test } from 'vitest'
import type { ApprovalView } from '../../src-shared/approval.ts'
import { createNotifier } from './notifier.ts'

const request = (id: string): ApprovalView =>
  ({ id, clientName: 'Cursor', tool: 'store_secret', secret: `dev/${id}`, file: null, opened: 0, expires: 600_000 }) as ApprovalView // What a notification is made of.

function setUp(wanted: () => Promise<boolean>) {
  const log: string[] = []
  const notifier = createNotifier({
    create: ({ title = '' }) => ({
      show: () => log.push(`shown: ${title}`),
      close: () => log.push(`closed: ${title}`),
    }),
    wanted,
    onClick: () => {},
  })
  return { log, notifier }
}

test('a request is notified, and its notification closes when it ends', async () => {
  const { log, notifier } = setUp(() => Promise.resolve(true))
  await notifier.ask(request('one'))
  notifier.end('one')
  expect(log).toEqual(['shown: Cursor wants to store dev/one', 'closed: Cursor wants to store dev/one'])
})

test('a request that ends while the settings are being read is not notified any more', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const { log, notifier } = setUp(() => promise)
  const asking = notifier.ask(request('one'))
  notifier.end('one')
  resolve(true)
  await asking
  expect(log).toEqual([])
})

test('who wants no notifications gets none', async () => {
  const { log, notifier } = setUp(() => Promise.resolve(false))
  await notifier.ask(request('one'))
  notifier.end('one')
  expect(log).toEqual([])
})
