// When the prompt window shows. The approvals are the host's; this only watches them and decides whether a person should look.

import type { ApprovalView } from '../../src-shared/approval.ts'
import type { Host } from '../host/host.ts'
import type { PromptWindow } from './prompt-window.ts'

/** The page has the same guard; this one holds even if the page is broken. */
const GUARD_MS = 500

export interface Prompter {
  /** The person wants to answer now. */
  show: () => void
  stop: () => void
}

interface Parts {
  host: Pick<Host, 'dispatch' | 'subscribe'>
  window: PromptWindow
  guard: AnswerGuard
  /** A request that was not there before. */
  onNew: (approval: ApprovalView) => void
  onEnded: (id: string) => void
}

export function watchApprovals({ host, window, guard, onNew, onEnded }: Parts): Prompter {
  let open: ApprovalView[] = []
  let laidAside = false

  const show = (focus: boolean): void => {
    laidAside = false
    guard.shownAgain()
    window.show({ focus })
  }

  const look = async (): Promise<void> => {
    const before = open
    open = await readApprovals(host)
    const known = new Set(before.map(keyOf))
    const changed = open.filter((approval) => !known.has(keyOf(approval)))
    const ids = new Set(before.map(({ id }) => id))
    for (const { id } of before) if (!open.some((approval) => approval.id === id)) onEnded(id)
    guard.sees(open.map(keyOf))
    if (open.length === 0) window.hide()
    else if (changed.length > 0) {
      if (!window.isVisible()) show(false)
    }
    for (const approval of changed) if (!ids.has(approval.id)) onNew(approval)
  }

  // One look at a time, and one more after whatever came in between.
  let looking: Promise<void> | null = null
  let again = false
  const lookSoon = (): void => {
    again = looking !== null
    looking ??= look().finally(() => {
      looking = null
      if (again) lookSoon()
    })
  }

  window.onLaidAside(() => {
    laidAside = true
  })
  window.onPageLoaded(() => {
    guard.shownAgain()
    if (open.length > 0 && !laidAside) window.show({ focus: false })
  })
  const unsubscribe = host.subscribe('prompt', null, (event) => {
    if (event === 'approvals' || event === 'changed') lookSoon()
  })
  lookSoon()

  return {
    show: () => {
      if (open.length > 0) show(true)
    },
    stop: unsubscribe,
  }
}

const keyOf = ({ id, revision }: { id: string; revision: number }): string => `${id} ${revision}`

/** While the vault is not open there is nothing to ask. */
async function readApprovals(host: Parts['host']): Promise<ApprovalView[]> {
  const context = { caller: null, signal: new AbortController().signal, waiting: () => {} }
  return host.dispatch('prompt', 'approvals.list', {}, context).then(
    (result) => (result as { open: ApprovalView[] }).open, // As the contract has it.
    () => [],
  )
}

export interface AnswerGuard {
  /** What the window shows from now on. */
  sees: (keys: string[]) => void
  shownAgain: () => void
  /** Why this call must not be made, or null. */
  objection: (method: string, params: unknown) => string | null
}

/** An *allow* counts only for what has been in sight for half a second. A *deny* always counts. */
export function createAnswerGuard(now: () => number): AnswerGuard {
  let since = new Map<string, number>()
  return {
    sees: (keys) => {
      since = new Map(keys.map((key) => [key, since.get(key) ?? now()]))
    },
    shownAgain: () => {
      for (const key of since.keys()) since.set(key, now())
    },
    objection: (method, params) => {
      if (method !== 'approvals.answer' || !isAllow(params)) return null
      const seen = since.get(keyOf(params))
      if (seen !== undefined && now() - seen >= GUARD_MS) return null
      return 'This came up only just now. Read it, then answer.'
    },
  }
}

function isAllow(params: unknown): params is { id: string; revision: number } {
  if (typeof params !== 'object' || params === null || !('id' in params) || !('revision' in params)) return false
  // What is not a plain denial is treated as the other thing.
  return !('answer' in params) || params.answer !== 'deny'
}
