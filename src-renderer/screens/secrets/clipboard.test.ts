import { expect, test } from 'vitest'
import { createClipboardKeeper } from './clipboard.ts'

function desk({ mayRead = true } = {}) {
  let text = 'before'
  let focus = Promise.resolve()
  const timers: { due: number; run: () => void }[] = []
  const keeper = createClipboardKeeper({
    write: async (next) => {
      text = next
    },
    read: async () => {
      if (!mayRead) throw new DOMException('no', 'NotAllowedError')
      return text
    },
    digest: async (value) => `digest of ${value.length} ${value}`,
    focused: () => focus,
    after: (ms, run) => {
      const timer = { due: ms, run }
      timers.push(timer)
      return () => timers.splice(timers.indexOf(timer), 1)
    },
    now: () => 0,
  })
  return {
    keeper,
    text: () => text,
    copyElsewhere: (other: string) => {
      text = other
    },
    awayUntil: (back: Promise<void>) => {
      focus = back
    },
    pass: async () => {
      for (const { run } of timers.splice(0)) run()
      await new Promise((resolve) => setTimeout(resolve))
    },
  }
}

test('a copied secret is taken off the clipboard after half a minute', async () => {
  const { keeper, text, pass } = desk()
  await keeper.put('a', 'secret')
  expect([text(), keeper.state()]).toEqual(['secret', { is: 'held', name: 'a', until: 30_000 }])
  await pass()
  expect([text(), keeper.state().is]).toEqual(['', 'cleared'])
})

test('what was copied since stays', async () => {
  const { keeper, text, copyElsewhere, pass } = desk()
  await keeper.put('a', 'secret')
  copyElsewhere('mine')
  await pass()
  expect([text(), keeper.state().is]).toEqual(['mine', 'gone'])
})

test('while the page is not in front it waits', async () => {
  const { keeper, text, awayUntil, pass } = desk()
  const { promise, resolve } = Promise.withResolvers<void>()
  awayUntil(promise)
  await keeper.put('a', 'secret')
  await pass()
  expect([text(), keeper.state().is]).toEqual(['secret', 'held'])
  resolve()
  await pass()
  expect([text(), keeper.state().is]).toEqual(['', 'cleared'])
})

test('a browser that lets nobody look is said to, and the person can clear it', async () => {
  const { keeper, text, pass } = desk({ mayRead: false })
  await keeper.put('a', 'secret')
  await pass()
  expect([text(), keeper.state()]).toEqual(['secret', { is: 'unknown', name: 'a' }])
  await keeper.clear()
  expect([text(), keeper.state().is]).toEqual(['', 'cleared'])
})

test('a second secret has its own half minute', async () => {
  const { keeper, text, pass } = desk()
  await keeper.put('a', 'one')
  await keeper.put('b', 'two')
  expect(keeper.state()).toMatchObject({ is: 'held', name: 'b' })
  await pass()
  expect(text()).toBe('')
})
