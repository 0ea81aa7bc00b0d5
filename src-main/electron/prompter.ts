// When the prompt window shows. The approvals are the host's; this only watches them and decides whether a person should look.

import type { ApprovalView } from '../../src-shared/approval.ts'
import type { Host } from '../host/host.ts'
import type { PromptWindow } from './prompt-window.ts'

const RETRY_MS = 1000

export interface Prompter {
  /** The person wants to answer now. */
  show: () => void
  stop: () => void
}

interface Parts {
  host: Pick<Host, 'dispatch' | 'status' | 'subscribe'>
  window: PromptWindow
  /** A request that was not there before. */
  onNew: (approval: ApprovalView) => void
  onEnded: (id: string) => void
  /** The open requests cannot be read; what was open is taken to be open still. Told once, until they can be read again. */
  onTrouble: (error: unknown) => void
}

export function watchApprovals({ host, window, onNew, onEnded, onTrouble }: Parts): Prompter {
  let open: ApprovalView[] = []
  let laidAside = false
  let inTrouble = false
  let retry: NodeJS.Timeout | null = null

  const show = (focus: boolean): void => {
    const first = open.toSorted((a, b) => a.opened - b.opened)[0]
    if (first === undefined) return
    laidAside = false
    window.show({ focus, request: keyOf(first) })
  }

  const readAndShow = async (): Promise<void> => {
    const before = open
    try {
      open = await readApprovals(host)
      inTrouble = false
    } catch (error) {
      if (!inTrouble) onTrouble(error)
      inTrouble = true
      retry ??= setTimeout(() => {
        retry = null
        refresh()
      }, RETRY_MS)
      return
    }
    const known = new Set(before.map(keyOf))
    const changed = open.filter((approval) => !known.has(keyOf(approval)))
    const ids = new Set(before.map(({ id }) => id))
    for (const { id } of before) if (!open.some((approval) => approval.id === id)) onEnded(id)
    if (open.length === 0) window.hide()
    else if (!window.isVisible() && (changed.length > 0 || !laidAside)) show(false)
    for (const approval of changed) if (!ids.has(approval.id)) onNew(approval)
  }

  // One at a time, and once more after whatever came in between.
  let reading: Promise<void> | null = null
  let again = false
  const refresh = (): void => {
    again = reading !== null
    reading ??= readAndShow().finally(() => {
      reading = null
      if (again) refresh()
    })
  }

  window.onLaidAside(() => {
    laidAside = true
  })
  window.onPageLoaded(() => {
    if (!laidAside) show(false)
  })
  const unsubscribe = host.subscribe('prompt', null, (event) => {
    if (event === 'approvals' || event === 'changed') refresh()
  })
  refresh()

  return {
    show: () => show(true),
    stop: () => {
      unsubscribe()
      if (retry !== null) clearTimeout(retry)
    },
  }
}

const keyOf = ({ id, revision }: { id: string; revision: number }): string => `${id} ${revision}`

/** While the vault is not open there is nothing to ask. Any other error is not "no requests". */
async function readApprovals(host: Parts['host']): Promise<ApprovalView[]> {
  const context = { caller: null, signal: new AbortController().signal, waiting: () => {} }
  try {
    const result = await host.dispatch('prompt', 'approvals.list', {}, context)
    return (result as { open: ApprovalView[] }).open // As the contract has it.
  } catch (error) {
    if (host.status().state !== 'open') return []
    throw error
  }
}
