import { expect, test } from 'vitest'
import type { ApprovalView } from '../../src-shared/approval.ts'
import type { EventName } from '../../src-shared/rpc.ts'
import type { PromptWindow } from './prompt-window.ts'
import { createAnswerGuard, watchApprovals } from './prompter.ts'

const view = (id: string, revision = 1): ApprovalView => ({ id, revision }) as ApprovalView // The prompter looks at nothing else.

function setUp() {
  let now = 0
  let open: ApprovalView[] = []
  let tell: (event: EventName) => void = () => {}
  const log: string[] = []
  let visible = false
  let loaded = () => {}
  let aside = () => {}
  const window: PromptWindow = {
    isVisible: () => visible,
    show: ({ focus }) => {
      visible = true
      log.push(focus ? 'shown with focus' : 'shown')
    },
    hide: () => {
      if (visible) log.push('hidden')
      visible = false
    },
    onPageLoaded: (listener) => {
      loaded = listener
    },
    onLaidAside: (listener) => {
      aside = () => {
        visible = false
        listener()
      }
    },
    destroy: () => {},
  }
  const guard = createAnswerGuard(() => now)
  const prompter = watchApprovals({
    host: {
      dispatch: () => Promise.resolve({ now, open }),
      subscribe: (_access, _caller, listener) => {
        tell = (event) => listener(event, null)
        return () => {}
      },
    },
    window,
    guard,
    onNew: ({ id }) => log.push(`new ${id}`),
    onEnded: (id) => log.push(`ended ${id}`),
  })
  return {
    log,
    prompter,
    later: (ms: number) => {
      now += ms
    },
    becomes: async (...views: ApprovalView[]) => {
      open = views
      tell('approvals')
      await new Promise((resolve) => setImmediate(resolve))
      return log.splice(0)
    },
    crash: () => {
      loaded()
      return log.splice(0)
    },
    layAside: () => aside(),
    allow: (id: string, revision = 1) => guard.objection('approvals.answer', { id, revision, answer: 'allow' }),
    deny: (id: string, revision = 1) => guard.objection('approvals.answer', { id, revision, answer: 'deny' }),
  }
}

test('a request shows the window and is told once; the last one to end hides it', async () => {
  const desk = setUp()
  expect(await desk.becomes(view('a'))).toEqual(['shown', 'new a'])
  expect(await desk.becomes(view('a'), view('b'))).toEqual(['new b'])
  expect(await desk.becomes(view('b'))).toEqual(['ended a'])
  expect(await desk.becomes()).toEqual(['ended b', 'hidden'])
})

test('what was laid aside stays aside until something changes or the person asks', async () => {
  const desk = setUp()
  await desk.becomes(view('a'))
  desk.layAside()
  expect(await desk.becomes(view('a'))).toEqual([])
  expect(await desk.becomes(view('a', 2))).toEqual(['shown'])
  desk.layAside()
  desk.prompter.show()
  expect(desk.log).toEqual(['shown with focus'])
})

test('a page that was loaded anew is shown again, unless it was laid aside', async () => {
  const desk = setUp()
  expect(desk.crash()).toEqual([])
  await desk.becomes(view('a'))
  expect(desk.crash()).toEqual(['shown'])
  desk.layAside()
  expect(desk.crash()).toEqual([])
})

test('an allow counts only for what has been in sight for half a second; a deny always counts', async () => {
  const desk = setUp()
  expect(desk.allow('a')).not.toBe(null)
  await desk.becomes(view('a'))
  expect(desk.allow('a')).not.toBe(null)
  expect(desk.deny('a')).toBe(null)
  desk.later(499)
  expect(desk.allow('a')).not.toBe(null)
  desk.later(1)
  expect(desk.allow('a')).toBe(null)
  expect(desk.allow('b')).not.toBe(null)

  await desk.becomes(view('a', 2))
  expect(desk.allow('a', 1)).not.toBe(null)
  expect(desk.allow('a', 2)).not.toBe(null)
  desk.later(500)
  expect(desk.allow('a', 2)).toBe(null)

  desk.crash()
  expect(desk.allow('a', 2)).not.toBe(null)
  desk.later(500)
  desk.layAside()
  desk.prompter.show()
  expect(desk.allow('a', 2)).not.toBe(null)
})
