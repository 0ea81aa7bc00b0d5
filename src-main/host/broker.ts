// The story of a call: decide → (ask) → intent → effect → outcome → answer.

import type { Caller } from '../../src-shared/client.ts'
import { decide, ruleText, type Question, type Verdict } from '../../src-shared/decide.ts'
import type { Settings } from '../../src-shared/settings.ts'
import type { ToolReply } from '../../src-shared/rpc.ts'
import { texts } from '../../src-shared/texts.ts'
import type { Approvals } from './approvals.ts'
import { AuditError } from './audit/audit.ts'
import { actOf, digestOf, fieldNames, newCallId, parseRequest, secretOf, type Call, type CallAccess, type Request } from './call.ts'
import type { Clients } from './clients.ts'
import { OutcomeUnrecorded, type Journal } from './journal.ts'
import type { Grants } from './grants.ts'
import type { Limits } from './limits.ts'
import { nameWarning } from './name-warning.ts'
import type { Policies } from './policies.ts'
import type { Clock } from './ports.ts'
import { callEntry, systemEntry, whoEntry, type Detail } from './record.ts'
import { failure, type ToolResult } from './tool-result.ts'
import type { Tools } from './tools.ts'
import { denial, troubleOf } from './trouble.ts'

export interface BrokerParts {
  clock: Clock
  settings: () => Settings
  journal: Journal
  policies: Policies
  clients: Clients
  grants: Grants
  approvals: Approvals
  limits: Limits
  tools: Tools
  /** Why nobody is served at the moment; null when everybody is. */
  pausedText: () => string | null
  /** A secret was stored or removed. */
  secretsChanged: () => void
  faultPoint: (name: string) => void
}

export interface Incoming {
  caller: Caller
  access: CallAccess
  tool: string
  arguments: unknown
  says: string | null
  signal: AbortSignal
  /** Called every few seconds while a person is being waited for. */
  waiting: (message: string) => void
}

/** How a call stands after deciding and asking. */
type Settled =
  | { kind: 'go'; call: Call; rule: string; approver: string; version: number | null; detail: Detail; share: (result: ToolResult) => void }
  | { kind: 'done'; rule: string | null; approver: string | null; result: ToolResult }

/** A call that is not waiting for a person ends within this time. */
const CALL_LIMIT_MS = 30_000

export type Broker = ReturnType<typeof createBroker>

export function createBroker(parts: BrokerParts) {
  const { clock, journal, policies, clients, grants, approvals, tools } = parts

  /** The door: limits, parsing, and the record of what never became a call. */
  async function call(incoming: Incoming): Promise<ToolReply> {
    const admission = parts.limits.admit(incoming.caller.clientId)
    if (admission.kind === 'too many a second') return limitedReply(texts.tooManyCalls(parts.settings().callsPerSecond))
    if (admission.kind === 'too many at once') return limitedReply(texts.tooManyInFlight(parts.settings().callsInFlight))
    try {
      const parsed = parseRequest(incoming.tool, incoming.arguments, incoming.access)
      if (parsed.kind === 'request') {
        const { caller, says } = incoming
        return await handle({ id: newCallId(), caller, says, request: parsed.request, received: clock.mono() }, incoming)
      }
      const reason = parsed.kind === 'invalid' ? `${parsed.field} ${parsed.fault}` : 'unknown tool'
      await recordRejected({ ...incoming, fields: fieldNames(incoming.arguments), reason })
      return parsed.kind === 'invalid' ? parsed : errorReply(texts.unknownTool(incoming.tool.slice(0, 128)))
    } catch (error) {
      if (error instanceof AuditError) return errorReply(texts.notRecorded(error.message))
      throw error
    } finally {
      admission.done()
    }
  }

  async function handle(call: Call, incoming: Incoming): Promise<ToolReply> {
    const settled = await settle(call, incoming)
    const decidedMs = Math.round(clock.mono() - call.received)
    const result =
      settled.kind === 'done' ? settled.result : await perform(settled.call, { ...settled, detail: { ...settled.detail, decidedMs } })
    if (settled.kind === 'done') await recordOutcome(call, result, settled)
    parts.faultPoint('answer')
    return result.reply
  }

  /** Decides, and asks where a person must be asked. Asking is "wait for a change, then decide again". */
  async function settle(asked: Call, { signal, waiting }: Incoming): Promise<Settled> {
    let call = asked
    const deadline = call.received + parts.settings().waitSeconds * 1000
    for (;;) {
      const paused = parts.pausedText() ?? (clients.isPaused(call.caller.clientId) ? texts.clientPaused : null)
      if (paused !== null) return done(failure(paused, 'denied', { reason: 'paused' }), null, 'person')
      const first = judge(call, null)
      if (first.kind === 'deny') return done(denial(call, first), ruleText(first.rule), 'policy')
      const early = tools.answerEarly(call.request)
      if (early !== null) return done(early, ruleText(first.rule), 'policy')
      // An import is read before anybody is asked, so that they can be told what it would change.
      const planned = call.request.tool === 'import_backup' ? await plan(call, call.request) : call
      if ('reply' in planned) return done(planned, ruleText(first.rule), 'policy')
      call = planned
      const { request } = call
      const subject = tools.subject(request)
      const version = subject?.version ?? null
      // What is allowed anyhow needs no memory of an answer to this very call.
      const verdict = first.kind === 'allow' ? first : judge(call, digestOf(call, version))
      if (verdict.kind === 'deny') return done(denial(call, verdict), ruleText(verdict.rule), 'policy')
      if (verdict.kind === 'allow') {
        if (verdict.grant !== null) grants.use(verdict.grant)
        const approver = verdict.grant === null ? 'policy' : 'grant'
        return { kind: 'go', call, rule: ruleText(verdict.rule), approver, version, detail: {}, share: () => {} }
      }
      // A read replaces nothing, however many versions there are.
      const replaced = actOf(request) === 'write' ? subject : null
      const replaces = replaced && { version: replaced.version, updated: replaced.updated, storedBy: replaced.storedBy }
      const mayRemember = verdict.mayRemember && call.caller.standing === 'verified'
      const policy = clients.policyOf(call.caller.clientId)
      const digest = digestOf(call, version)
      const odd = [nameWarning(call.caller, call.says, clients.list()), tools.warning(request)].filter((each) => each !== null)
      const warning = odd.join(' ') || null
      const answer = await approvals.ask({ call, digest, policy, version, replaces, mayRemember, warning }, deadline, signal, waiting)
      const rule = ruleText(verdict.rule)
      switch (answer.kind) {
        case 'again':
          continue
        case 'allowed':
          return { kind: 'go', call, rule, approver: 'person', version, detail: { approval: answer.approvalId }, share: answer.share }
        case 'follow': {
          const shared = (await answer.result) as ToolResult
          return done({ ...shared, detail: { ...shared.detail, approval: answer.approvalId, joined: true } }, rule, 'person')
        }
        case 'refused':
          return done(
            failure(answer.text, answer.outcome, { approval: answer.approvalId }),
            rule,
            answer.outcome === 'denied' ? 'person' : null,
          )
      }
    }
  }

  /** Executes what may be executed: writes with an intent first, reads with one entry before their answer. */
  async function perform(call: Call, go: Extract<Settled, { kind: 'go' }>): Promise<ToolResult> {
    let shared: ToolResult = failure(texts.interrupted, 'failed')
    try {
      const intent = tools.intentOf(call.request, go.version)
      shared = intent === null ? await read(call, go) : await write(call, go, intent)
      return shared
    } catch (error) {
      if (error instanceof AuditError) shared = failure(texts.notRecorded(error.message), 'failed')
      throw error
    } finally {
      go.share(shared)
    }
  }

  async function read(call: Call, go: Extract<Settled, { kind: 'go' }>): Promise<ToolResult> {
    const started = clock.mono()
    const attempted = attempt(call, go.version)
    // What touches no secret asks nobody who could be late.
    const result = await (actOf(call.request) === null ? attempted : inTime(attempted))
    await recordOutcome(call, result, { ...go, detail: { ...go.detail, keychainMs: Math.round(clock.mono() - started) } })
    return result
  }

  async function write(
    call: Call,
    go: Extract<Settled, { kind: 'go' }>,
    intent: { fingerprint: string | null; detail: Detail },
  ): Promise<ToolResult> {
    const entry = callEntry('intent', call, {
      outcome: null,
      rule: go.rule,
      approver: go.approver,
      fingerprint: intent.fingerprint,
      detail: { ...go.detail, ...intent.detail },
    })
    const effect = async () => {
      const started = clock.mono()
      const result = await attempt(call, go.version)
      const now = clock.mono()
      return {
        outcome: result.outcome,
        detail: { ...result.detail, keychainMs: Math.round(now - started), ms: Math.round(now - call.received) },
        result,
      }
    }
    try {
      const result = await journal.change(entry, effect)
      if (result.outcome === 'allowed') parts.secretsChanged()
      return result
    } catch (error) {
      if (error instanceof OutcomeUnrecorded) return failure(texts.madeUnrecorded(error.message), 'failed')
      throw error
    }
  }

  /** Runs the tool; what the vault or the keychain has to say becomes a sentence for the client. */
  async function attempt(call: Call, version: number | null): Promise<ToolResult> {
    // A deny wins over a click: the policy is asked once more, now that nothing can come in between.
    const verdict = judge(call, null)
    if (verdict.kind === 'deny') return denial(call, verdict)
    try {
      return await tools.run(call, version)
    } catch (error) {
      const trouble = troubleOf(call, error)
      if (trouble !== null) return trouble
      throw error
    }
  }

  async function plan(call: Call, request: Extract<Request, { tool: 'import_backup' }>): Promise<Call | ToolResult> {
    try {
      return { ...call, request: await tools.planned(request) }
    } catch (error) {
      const trouble = troubleOf(call, error)
      if (trouble === null) throw error
      return trouble
    }
  }

  async function inTime(result: Promise<ToolResult>): Promise<ToolResult> {
    const { promise, resolve } = Promise.withResolvers<ToolResult>()
    const cancel = clock.after(CALL_LIMIT_MS, () => resolve({ reply: { kind: 'timeout' }, outcome: 'timeout' }))
    return Promise.race([result, promise]).finally(cancel)
  }

  function judge(call: Call, digest: string | null): Verdict {
    const { clientId, standing, program = null } = call.caller
    const { tool } = call.request
    const act = actOf(call.request)
    const policy = clients.policyOf(clientId)
    // Lists are filtered name by name, and a test names a policy of its own: neither touches a secret.
    if (act === null) return { kind: 'allow', rule: { policy, by: 'allow', with: '*' }, grant: null }
    const secret = secretOf(call.request)
    const verified = standing === 'verified' ? program : null
    const question: Question = { clientId, tool, verified, digest, ...(secret === null ? { act: 'write', secret } : { act, secret }) }
    return decide(question, policy, policies.get(policy), grants.of(clientId), clock.mono())
  }

  async function recordOutcome(
    call: Call,
    result: ToolResult,
    how: { rule: string | null; approver: string | null; detail?: Detail },
  ): Promise<void> {
    const detail = { ...how.detail, ...result.detail, ms: Math.round(clock.mono() - call.received) }
    await journal.append(callEntry('outcome', call, { outcome: result.outcome, rule: how.rule, approver: how.approver, detail }))
  }

  /** A call that broke its schema, named no tool, or was refused by the protocol: on record, with the names of its fields only. */
  async function recordRejected(rejected: {
    caller: Caller
    says: string | null
    tool: string | null
    fields: string[]
    reason: string
  }): Promise<void> {
    const who = whoEntry(rejected.caller, rejected.says)
    await journal.append(
      systemEntry('call', {
        ...who,
        kind: 'outcome',
        call: newCallId(),
        tool: rejected.tool?.slice(0, 64) ?? null,
        outcome: 'rejected',
        detail: { ...who.detail, fields: rejected.fields.slice(0, 32), reason: rejected.reason.slice(0, 200) },
      }),
    )
  }

  /** The same, reported by a bridge: limited like a call, so that refused calls cannot flood the log either. */
  async function rejected(report: Parameters<typeof recordRejected>[0]): Promise<void> {
    const admission = parts.limits.admit(report.caller.clientId)
    if (admission.kind !== 'admitted') return
    await recordRejected(report).finally(admission.done)
  }

  return { call, rejected, judge }
}

function done(result: ToolResult, rule: string | null, approver: string | null): Settled {
  return { kind: 'done', result, rule, approver }
}

function errorReply(text: string): ToolReply {
  return { kind: 'result', text, isError: true }
}

function limitedReply(text: string): ToolReply {
  return { kind: 'result', text, isError: true, limited: true }
}
