// A person's answer by way of a page's own messages, without the page: what it shows is reported as a page does, and an allow comes as
// late as the guard wants it.

import { setTimeout as delay } from 'node:timers/promises'
import type { Remember } from '../../src-shared/grant.ts'
import type { MethodName, ParamsIn, Result } from '../../src-shared/rpc.ts'
import { GUARD_MS } from '../../src-main/host/answer-guard.ts'

type Ask = <M extends MethodName>(method: M, params: ParamsIn<M>) => Promise<Result<M>>

export interface Answering {
  /** Shows a request for as long as an allow needs. */
  read: (approval: Asked) => Promise<void>
  answer: (approval: Asked, answer: 'allow' | 'deny', remember?: Remember) => Promise<boolean>
}

interface Asked {
  id: string
  revision: number
}

/** `ask` is always the same connection or window. */
export function answering(ask: Ask): Answering {
  const reads = new Map<string, Promise<void>>()

  const show = async ({ id, revision }: Asked): Promise<void> => {
    await ask('approvals.list', {})
    await ask('approvals.shown', { id, revision, inSight: true })
    await delay(GUARD_MS)
  }
  const read: Answering['read'] = (approval) => {
    const key = `${approval.id} ${approval.revision}`
    const reading = reads.get(key) ?? show(approval)
    reads.set(key, reading)
    return reading
  }
  return {
    read,
    answer: async (approval, answer, remember = 'once') => {
      const { id, revision } = approval
      for (;;) {
        if (answer === 'allow') await read(approval)
        try {
          return (await ask('approvals.answer', { id, revision, answer, remember })).done
        } catch (error) {
          // Too early by the rounding of a timer, or the page that shares this window has shown something else meanwhile.
          if (!(error instanceof Error && error.message.includes('Nothing was allowed'))) throw error
          reads.delete(`${id} ${revision}`)
          if (!(await ask('approvals.list', {})).open.some((one) => one.id === id && one.revision === revision)) return false
        }
      }
    },
  }
}
