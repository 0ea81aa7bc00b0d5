// Questions put to the person, as state in the host. Windows look at them and answer; the host never calls a window. Nothing is
// executed from here: an answer only lets a waiting call go on, or its repeat pass once.

import type { ApprovalEnd, ApprovalView } from '../../src-shared/approval.ts'
import type { Caller } from '../../src-shared/client.ts'
import type { Remember } from '../../src-shared/grant.ts'
import type { Settings } from '../../src-shared/settings.ts'
import { texts } from '../../src-shared/texts.ts'
import { showPath } from '../../src-shared/untrusted.ts'
import { freshId, hourMinute, refusal } from './approval-text.ts'
import { viewOf } from './approval-view.ts'
import { digestOf, fileOf, processOf, type Call } from './call.ts'
import { createPatience } from './patience.ts'
import { diskTrouble } from './disk-trouble.ts'
import type { Clock } from './ports.ts'

/** What a waiting call is told. `again`: something changed, decide anew. `follow`: an equal call goes first; share its result. */
export type Answer =
  | { kind: 'allowed'; approvalId: string; share: (result: unknown) => void }
  | { kind: 'follow'; approvalId: string; result: Promise<unknown> }
  | { kind: 'again' }
  | {
      kind: 'refused'
      outcome: 'denied' | 'expired' | 'waiting' | 'limited' | 'cancelled' | 'failed'
      text: string
      approvalId: string | null
    }

/** What is asked: a call, what it would replace, and whether its answer may be remembered. */
export interface Matter {
  call: Call
  digest: string
  policy: string
  version: number | null
  replaces: ApprovalView['replaces']
  mayRemember: boolean
  /** What the person has to know about what would be changed. */
  warning: string | null
}

interface Waiter {
  call: Call
  answer: (answer: Answer) => void
}

export interface Approval extends Matter {
  id: string
  revision: number
  opened: number
  expires: number
  expiresMono: number
  count: number
  /** How often somebody came to wait when nobody did any more. */
  revivals: number
  waiters: Set<Waiter>
  /** `opening` and `ending` while the log is being written: not yet, or no longer, to be answered. */
  state: 'opening' | 'open' | 'ending'
  stopTimer: () => void
}

export interface ApprovalsPorts {
  clock: Clock
  settings: () => Settings
  /** On disk before anybody acts on it. */
  recordOpened: (matter: Matter, id: string) => Promise<void>
  recordEnded: (matter: Matter, id: string, end: ApprovalEnd, detail: { remember?: Remember; count: number }) => Promise<void>
  /** A person allowed it; called before any waiting call goes on. `waited`: whether a call still waits for it. */
  allowed: (matter: Matter, id: string, remember: Remember, waited: boolean) => void
  changed: () => void
}

export type Approvals = ReturnType<typeof createApprovals>

export function createApprovals(ports: ApprovalsPorts) {
  const { clock } = ports
  const approvals = new Map<string, Approval>()
  const patience = createPatience(clock)

  const open = (matter: Matter): Approval => {
    const lifetime = ports.settings().promptMinutes * 60_000
    const approval: Approval = {
      ...matter,
      id: freshId(approvals),
      revision: 1,
      opened: clock.now(),
      expires: clock.now() + lifetime,
      expiresMono: clock.mono() + lifetime,
      count: 0,
      revivals: 0,
      waiters: new Set(),
      state: 'opening',
      stopTimer: () => {},
    }
    approvals.set(approval.id, approval)
    return approval
  }

  const publish = async (approval: Approval): Promise<void> => {
    try {
      await ports.recordOpened(approval, approval.id)
    } catch (error) {
      approvals.delete(approval.id)
      for (const waiter of approval.waiters) waiter.answer({ kind: 'again' })
      throw error
    }
    // Ended before it was open, and the log is still being told: it must not come up to be ended again.
    if (approval.state !== 'opening') return
    reopen(approval)
    ports.changed()
  }

  const reopen = (approval: Approval): void => {
    approval.state = 'open'
    approval.stopTimer = clock.after(Math.max(0, approval.expiresMono - clock.mono()), () => {
      void end(approval, 'expired')
    })
  }

  /** Ends an approval once: recorded first, then everybody who waits is told. False when it had ended already. */
  const end = async (approval: Approval, how: ApprovalEnd, remember: Remember = 'once'): Promise<boolean> => {
    if (approval.state === 'ending' || !approvals.has(approval.id)) return false
    approval.state = 'ending'
    approval.stopTimer()
    try {
      await ports.recordEnded(
        approval,
        approval.id,
        how,
        how === 'allowed' ? { remember, count: approval.count } : { count: approval.count },
      )
    } catch (error) {
      // What cannot be recorded does not happen. A refusal needs no record to be safe; an allow does.
      if (how === 'allowed') {
        reopen(approval)
        throw error
      }
    }
    approvals.delete(approval.id)
    if (how === 'expired') patience.expired(approval.call.caller.clientId)
    if (how === 'allowed' || how === 'denied') patience.answered(approval.call.caller.clientId)
    const waiters = [...approval.waiters]
    if (how === 'denied' && waiters.length === 0) patience.rememberDenial(approval.digest)
    try {
      if (how === 'allowed') ports.allowed(approval, approval.id, remember, waiters.length > 0)
    } catch (error) {
      // The answer holds only as a whole: what is to be remembered and cannot be makes it none.
      const text = texts.answerFailed(diskTrouble(error))
      for (const waiter of waiters) waiter.answer({ kind: 'refused', outcome: 'failed', text, approvalId: approval.id })
      ports.changed()
      throw error
    }
    if (how === 'allowed') release(approval, waiters)
    else for (const waiter of waiters) waiter.answer(refusal(how, approval.id))
    ports.changed()
    return true
  }

  /** The first waiting call goes on; equal ones share what it comes back with, so that nothing is done twice. */
  const release = (approval: Approval, [leader, ...followers]: Waiter[]): void => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    leader?.answer({ kind: 'allowed', approvalId: approval.id, share: resolve })
    for (const follower of followers) follower.answer({ kind: 'follow', approvalId: approval.id, result: promise })
  }

  const equalTo = (digest: string) =>
    [...approvals.values()].filter((approval) => approval.digest === digest && approval.state !== 'ending')

  const isOfProcess = (approval: Approval, call: Call) => processOf(approval.call.caller) === processOf(call.caller)

  /**
   * An equal request of the very process the person is shown: it is given what the first is given, so only the numbers change. A
   * press that began before does not count all the same, for which the revision grows; but at every doubling only, so that no
   * client can keep a person from answering by joining without end.
   */
  const joined = (approval: Approval, wasWaitedFor: boolean): void => {
    if (!wasWaitedFor) approval.revivals++
    const startsAnew = isPowerOfTwo(approval.count) || (!wasWaitedFor && isPowerOfTwo(approval.revivals))
    // Nobody has seen what is still being recorded.
    if (startsAnew && approval.state === 'open') approval.revision++
    ports.changed()
  }

  /** Everything of this client that is open and not equal to what it asks now. */
  const openOf = (clientId: string) => [...approvals.values()].filter((approval) => approval.call.caller.clientId === clientId)

  return {
    list: (): ApprovalView[] => [...approvals.values()].filter(({ state }) => state === 'open').map(viewOf),

    /** Puts the matter to the person and waits, at most until `deadline` (monotonic). */
    async ask(matter: Matter, deadline: number, signal: AbortSignal, waiting: (message: string) => void): Promise<Answer> {
      const { clientId } = matter.call.caller
      if (patience.takeDenial(matter.digest)) return refusal('denied', null)
      const equals = equalTo(matter.digest)
      const same = equals.find((approval) => isOfProcess(approval, matter.call))
      if (same !== undefined) {
        const wasWaitedFor = same.waiters.size > 0
        same.count++
        const answered = wait(same, matter.call, deadline, signal, waiting)
        joined(same, wasWaitedFor)
        return answered
      }
      // Another process took over: what nobody waits for any more is asked anew, with the process that asks now.
      const left = equals.filter(({ waiters }) => waiters.size === 0)
      const cooling = patience.coolingUntil(clientId)
      if (cooling !== null) return { kind: 'refused', outcome: 'limited', text: texts.coolingDown(hourMinute(cooling)), approvalId: null }
      if (!patience.mayOpen(clientId, openOf(clientId).length - left.length)) {
        return { kind: 'refused', outcome: 'limited', text: texts.tooManyPrompts, approvalId: null }
      }
      const approval = open(matter)
      approval.count++
      const answered = wait(approval, matter.call, deadline, signal, waiting)
      await Promise.all(left.map((former) => end(former, 'overtaken')))
      await publish(approval)
      return answered
    },

    /** A person answers. False when there is nothing to answer any more, or when what they saw has changed since. */
    async answer(id: string, revision: number, answer: 'allow' | 'deny', remember: Remember): Promise<boolean> {
      const approval = approvals.get(id)
      if (approval === undefined || approval.state !== 'open' || approval.revision !== revision) return false
      if (clock.mono() >= approval.expiresMono) return (await end(approval, 'expired')) && false
      const kept = approval.mayRemember ? remember : 'once'
      return end(approval, answer === 'allow' ? 'allowed' : 'denied', kept)
    },

    /** The value a prompt is about, for the person who asked to see it. */
    value(id: string): { call: Call; value: string } | null {
      const approval = approvals.get(id)
      const request = approval?.call.request
      if (approval === undefined || approval.state !== 'open' || request?.tool !== 'store_secret') return null
      return { call: approval.call, value: request.value }
    },

    /** Something that decides has changed: questions that would now be decided differently, or about another version, end. */
    async recheck(stillAsks: (matter: Matter) => boolean): Promise<void> {
      await Promise.all([...approvals.values()].filter((approval) => !stillAsks(approval)).map((approval) => end(approval, 'overtaken')))
    },

    /** Ends every open question that `which` picks. */
    async endWhere(which: (caller: Call['caller']) => boolean, how: 'withdrawn' | 'quit' | 'denied'): Promise<void> {
      await Promise.all([...approvals.values()].filter(({ call }) => which(call.caller)).map((approval) => end(approval, how)))
    },

    /** The program of this caller is known since: its equal requests come as verified from now on, and join what it has open. */
    known(caller: Caller): void {
      for (const approval of approvals.values()) {
        const { clientId, program = null } = approval.call.caller
        if (clientId !== caller.clientId || program === null || program !== caller.program) continue
        // What the person reads stays: it says less of the program than is known by now.
        approval.digest = digestOf({ ...approval.call, caller: { ...approval.call.caller, standing: 'verified' } }, approval.version)
      }
    },

    coolingUntil: patience.coolingUntil,
    resume: patience.answered,
  }

  function wait(
    approval: Approval,
    call: Call,
    deadline: number,
    signal: AbortSignal,
    waiting: (message: string) => void,
  ): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const file = fileOf(call.request)
    const request = `request ${approval.id}${file === null ? '' : ` (${call.request.tool === 'export_backup' ? 'backup to' : 'backup from'} ${showPath(file, 200)})`}`
    let stopTick = () => {}
    const tick = () => {
      waiting(`Waiting for a person to answer ${request}`)
      stopTick = clock.after(PROGRESS_MS, tick)
    }
    const leave = (answer: Answer) => {
      approval.waiters.delete(waiter)
      stopTick()
      stopDeadline()
      signal.removeEventListener('abort', cancelled)
      resolve(answer)
    }
    const waiter: Waiter = { call, answer: leave }
    const later = (answer: Answer) => {
      if (!approval.waiters.has(waiter)) return
      leave(answer)
      ports.changed()
    }
    const cancelled = () => later({ kind: 'refused', outcome: 'cancelled', text: texts.waiting(approval.id), approvalId: approval.id })
    const stopDeadline = clock.after(Math.max(0, deadline - clock.mono()), () => {
      later({ kind: 'refused', outcome: 'waiting', text: texts.waiting(approval.id), approvalId: approval.id })
    })
    approval.waiters.add(waiter)
    signal.addEventListener('abort', cancelled)
    if (signal.aborted) cancelled()
    else tick()
    return promise
  }
}

const PROGRESS_MS = 5000

const isPowerOfTwo = (count: number): boolean => (count & (count - 1)) === 0
