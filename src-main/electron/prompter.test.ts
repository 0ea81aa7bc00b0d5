import { expect, test } from 'vitest'
import type { ApprovalView } from '../../src-shared/approval.ts'
import type { EventName, HostStatus } from '../../src-shared/rpc.ts'
import type { PromptWindow } from './prompt-window.ts'
import { watchApprovals } from './prompter.ts'

const view = (id: string, revision = 1): ApprovalView => ({ id, revision }) as ApprovalView // The prompter looks at nothing else.

function setUp() {
  let open: ApprovalView[] | Error = []
  let state: 'open' | 'locked' = 'open'
  let tell: (event: EventName) => void = () => {}
  const log: string[] = []
  let visible = false
  let loaded = () => {}
  let aside = () => {}
  const window: PromptWindow = {
    isVisible: () => visible,
    show: ({ focus, request }) => {
      visible = true
      log.push(`${focus ? 'shown with focus' : 'shown'} ${request}`)
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
  const prompter = watchApprovals({
    host: {
      status: () => ({ state }) as HostStatus, // It looks at nothing else.
      dispatch: () => (open instanceof Error ? Promise.reject(open) : Promise.resolve({ now: 0, open })),
      subscribe: (_access, _caller, listener) => {
        tell = (event) => listener(event, null)
        return () => {}
      },
    },
    window,
    onNew: ({ id }) => log.push(`new ${id}`),
    onEnded: (id) => log.push(`ended ${id}`),
    onTrouble: (error) => log.push(`trouble: ${String(error)}`),
  })
  return {
    log,
    prompter,
    becomes: async (...views: ApprovalView[]) => {
      state = 'open'
      open = views
      tell('approvals')
      await new Promise((resolve) => setImmediate(resolve))
      return log.splice(0)
    },
    fails: async (how: 'open' | 'locked') => {
      state = how
      open = new Error('no answer')
      tell('approvals')
      await new Promise((resolve) => setImmediate(resolve))
      return log.splice(0)
    },
    crash: () => {
      loaded()
      return log.splice(0)
    },
    layAside: () => aside(),
  }
}

test('a request shows the window and is told once; the last one to end hides it', async () => {
  const desk = setUp()
  expect(await desk.becomes(view('a'))).toEqual(['shown a 1', 'new a'])
  expect(await desk.becomes(view('a'), view('b'))).toEqual(['new b'])
  expect(await desk.becomes(view('b'))).toEqual(['ended a'])
  expect(await desk.becomes()).toEqual(['ended b', 'hidden'])
})

test('what was laid aside stays aside until something changes or the person asks', async () => {
  const desk = setUp()
  await desk.becomes(view('a'))
  desk.layAside()
  expect(await desk.becomes(view('a'))).toEqual([])
  expect(await desk.becomes(view('a', 2))).toEqual(['shown a 2'])
  desk.layAside()
  desk.prompter.show()
  expect(desk.log).toEqual(['shown with focus a 2'])
})

test('a page that was loaded anew is shown again, unless it was laid aside', async () => {
  const desk = setUp()
  expect(desk.crash()).toEqual([])
  await desk.becomes(view('a'))
  expect(desk.crash()).toEqual(['shown a 1'])
  desk.layAside()
  expect(desk.crash()).toEqual([])
})

test('an error while asking for the open requests is not "no requests": what is shown stays, and it is told once', async () => {
  const desk = setUp()
  await desk.becomes(view('a'))
  expect(await desk.fails('open')).toEqual(['trouble: Error: no answer'])
  expect(await desk.fails('open')).toEqual([])
  expect(await desk.becomes(view('a'))).toEqual([])
  expect(await desk.becomes()).toEqual(['ended a', 'hidden'])
})

test('while the vault is not open, nothing is asked', async () => {
  const desk = setUp()
  await desk.becomes(view('a'))
  expect(await desk.fails('locked')).toEqual(['ended a', 'hidden'])
})
