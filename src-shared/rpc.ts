// The contract between the host and everything that talks to it: windows, the web page, the bridge and the command line.
// One table maps a method to the doors it may be called through, the shape of its parameters, and its result.

import { z } from 'zod'
import type { ApprovalView } from './approval.ts'
import type { ImportPlan } from './backup.ts'
import {
  OUTCOMES,
  type AuditBreak,
  type AuditFacets,
  type AuditPage,
  type AuditTotals,
  type Histogram,
  type LedgerEntry,
  type Verified,
  type VerifyReport,
} from './audit.ts'
import { CLIENT_ID, MOST_TOKEN_DAYS, type Client } from './client.ts'
import type { DryRun } from './dry-run.ts'
import type { Grant } from './grant.ts'
import { REMEMBER_CHOICES } from './grant.ts'
import { nameFault, newNameFault, valueFault } from './names.ts'
import type { Policy } from './policy.ts'
import { REGISTRATION_ACTS, type FilePreview, type PlaintextFinding, type RegistrationInfo, type TrialReport } from './registration.ts'
import type { ImportState, SecretInfo, SecretUses, SecretVersion } from './secret.ts'
import { someSettingsSchema, type Settings } from './settings.ts'

/**
 * The doors. `window`: an Electron window or a logged-in page. `prompt`: the approval window alone. `client`: a bridge on the
 * local socket. `cli`: the command line's own registration on that socket. Neither of the last two may answer an approval.
 */
export type Access = 'window' | 'prompt' | 'client' | 'cli'

/** The input itself stays out of the message: it may be a value. */
const free = (fault: (text: string) => string | null) =>
  z.string().refine((text) => fault(text) === null, { error: (issue) => fault(String(issue.input)) ?? 'is not valid' })
const secretName = free(nameFault)
const newSecretName = free(newNameFault)
const secretValue = free(valueFault)
const policyName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, . _ or -')
const clientId = z.string().regex(CLIENT_ID, 'must be lower-case letters, digits and -')
const passphrase = z.string().min(8, 'must have at least 8 characters').max(1024)
const tags = z.array(z.string().min(1).max(64)).max(32)
const tokenDays = z.number().int().min(1).max(MOST_TOKEN_DAYS).nullable()
const nothing = z.strictObject({})

const policySchema = z.strictObject({
  name: policyName,
  description: z.string().max(500),
  allow: z.array(z.string().max(256)).max(200),
  deny: z.array(z.string().max(256)).max(200),
  reads: z.enum(['always', 'first', 'ask', 'never']),
})

const fields = z.strictObject({
  client: z.array(z.string().max(200)).max(50).optional(),
  tool: z.array(z.string().max(200)).max(50).optional(),
  secret: z.array(z.string().max(200)).max(50).optional(),
  outcome: z.array(z.enum(OUTCOMES)).max(20).optional(),
  event: z.array(z.string().max(200)).max(50).optional(),
})
export const auditFilterSchema = z.strictObject({
  ...fields.shape,
  not: fields.optional(),
  from: z.number().optional(),
  to: z.number().optional(),
  text: z.string().max(200).optional(),
})

export interface HostStatus {
  version: string
  /** `new`: no keychain and no sealed vault yet, a passphrase makes one. `damaged`: nobody is served until a person decides. */
  state: 'open' | 'locked' | 'new' | 'damaged'
  store: 'keychain' | 'sealed'
  /** One sentence when the state is not `open`, when the keychain got into trouble since, or when clients cannot reach the host. */
  trouble: string | null
  alarms: { id: string; text: string }[]
  paused: { until: number | null } | null
  waiting: number
  /** Where a person can answer, when the host is headless. */
  page?: string | undefined
  /** Where programs reach `/mcp`, or why they cannot although they should; null while it is switched off. */
  http?: HttpState | null
}

export type HttpState = { url: string } | { trouble: string }

export interface ClientInfo extends Client {
  lastSeen: number | null
  connections: number
  /** Until when unanswered prompts keep it from asking again. */
  coolingUntil: number | null
  /** When its token ends; absent for one without an end, and for a client without a token. */
  tokenEnd?: TokenEnd
}

export interface TokenEnd {
  /** By the wall clock. */
  at: number
  /** How long it was made for. */
  days: number
  over: boolean
}

/** How an AI client starts our bridge; ` --client <id>` comes after the arguments. */
export interface Launch {
  command: string
  args: string[]
  env: Record<string, string>
}

/** What the shell around the host can do for its windows; a page in a browser does without. */
export interface ShellState {
  /** Whether Countersign starts at login; null where it cannot arrange that. */
  autostart: boolean | null
  /** Whether it puts text on the clipboard, and takes secrets off again. */
  clipboard: boolean
  /** Whether it has a dialog to choose files with. */
  fileDialogs: boolean
}

/** What a tool call comes back with; the MCP core turns it into each revision's shape. */
export type ToolReply =
  | { kind: 'result'; text: string; isError: boolean; structured?: Record<string, unknown>; limited?: true }
  | { kind: 'invalid'; field: string; fault: string }
  | { kind: 'timeout' }

export interface ResourceInfo {
  uri: string
  name: string
  description: string
}

interface Method<P extends z.ZodType, R> {
  access: readonly Access[]
  params: P
  /** Only a type; nothing is stored here. */
  result?: R
}

function method<R>() {
  return <P extends z.ZodType>(access: readonly Access[], params: P): Method<P, R> => ({ access, params })
}

const WINDOW = ['window'] as const
const SEES = ['window', 'cli'] as const
const CALLS = ['client', 'cli'] as const
const PROMPT = ['window', 'prompt'] as const
const ALL = ['window', 'prompt', 'client', 'cli'] as const

export const contract = {
  status: method<HostStatus>()(ALL, nothing),
  /** A second start asks the first to come forward. */
  'host.show': method<null>()(ALL, nothing),
  'host.lock': method<null>()(WINDOW, nothing),
  'host.pause': method<null>()(WINDOW, z.strictObject({ minutes: z.number().int().min(1).max(1440).nullable() })),
  'host.resume': method<null>()(WINDOW, nothing),
  'shell.state': method<ShellState>()(WINDOW, nothing),
  'shell.autostart': method<ShellState>()(WINDOW, z.strictObject({ on: z.boolean() })),
  'shell.copy': method<null>()(WINDOW, z.strictObject({ text: z.string().max(1_048_576) })),
  'shell.chooseFile': method<{ path: string | null }>()(
    WINDOW,
    z.strictObject({ mode: z.enum(['open', 'save']), suggested: z.string().max(255).default('') }),
  ),
  'alarms.acknowledge': method<null>()(WINDOW, z.strictObject({ id: z.string() })),

  'vault.create': method<null>()(WINDOW, z.strictObject({ passphrase })),
  /** With the passphrase of a sealed vault; the OS keychain opens by itself, and is only looked at once more. */
  'vault.unlock': method<null>()(WINDOW, z.strictObject({ passphrase: z.string().max(1024).default('') })),
  /** A damaged vault database: go back to the daily copy, begin again without it, or use an older one as it is. */
  'vault.recover': method<null>()(WINDOW, z.strictObject({ how: z.enum(['daily copy', 'start anew', 'as it is']) })),

  'approvals.list': method<{ now: number; open: ApprovalView[] }>()(PROMPT, nothing),
  /** A window reports whether all of a request is in sight. An allow counts only where that has been so for a while. */
  'approvals.shown': method<{ counted: boolean }>()(
    PROMPT,
    z.strictObject({ id: z.string().max(64), revision: z.number().int(), inSight: z.boolean() }),
  ),
  'approvals.answer': method<{ done: boolean }>()(
    PROMPT,
    z.strictObject({
      id: z.string(),
      revision: z.number().int(),
      answer: z.enum(['allow', 'deny']),
      remember: z.enum(REMEMBER_CHOICES).default('once'),
    }),
  ),
  'approvals.reveal': method<{ value: string }>()(PROMPT, z.strictObject({ id: z.string() })),
  'grants.list': method<Grant[]>()(WINDOW, nothing),
  'grants.revoke': method<null>()(WINDOW, z.strictObject({ id: z.string() })),

  'secrets.list': method<SecretInfo[]>()(WINDOW, nothing),
  'secrets.store': method<SecretInfo>()(
    WINDOW,
    z.strictObject({
      name: secretName,
      value: secretValue,
      force: z.boolean().default(false),
      tags: tags.default([]),
      expires: z.number().nullable().default(null),
    }),
  ),
  'secrets.describe': method<SecretInfo>()(WINDOW, z.strictObject({ name: secretName, tags, expires: z.number().nullable() })),
  /** With its versions, tags and expiry. Grants for either name end. */
  'secrets.rename': method<SecretInfo>()(WINDOW, z.strictObject({ name: secretName, to: newSecretName })),
  'secrets.remove': method<{ removed: boolean }>()(WINDOW, z.strictObject({ name: secretName })),
  'secrets.reveal': method<{ value: string }>()(
    WINDOW,
    z.strictObject({ name: secretName, version: z.number().int().optional(), purpose: z.enum(['show', 'copy']) }),
  ),
  /** To the clipboard by way of the shell, so that the value does not enter the window. */
  'secrets.copy': method<null>()(WINDOW, z.strictObject({ name: secretName, version: z.number().int().optional() })),
  'secrets.versions': method<SecretVersion[]>()(WINDOW, z.strictObject({ name: secretName })),
  'secrets.restore': method<SecretInfo>()(WINDOW, z.strictObject({ name: secretName, version: z.number().int() })),
  'secrets.forget': method<null>()(WINDOW, z.strictObject({ name: secretName })),
  /** Keep what another program wrote over a secret of ours, as its next version. */
  'secrets.adopt': method<SecretInfo>()(WINDOW, z.strictObject({ name: secretName })),
  /** Reads of the last seven days; `days` are their beginnings. */
  'secrets.uses': method<{ days: number[]; secrets: SecretUses[] }>()(WINDOW, nothing),
  /** What an import would do, in the order of its entries. No value comes back. */
  'secrets.compare': method<{ states: ImportState[] }>()(
    WINDOW,
    z.strictObject({ entries: z.array(z.strictObject({ name: secretName, value: secretValue })).max(500) }),
  ),
  'secrets.identify': method<{ name: string; version: number }[]>()(WINDOW, z.strictObject({ value: z.string().max(65_536) })),

  'policies.list': method<{ policies: Policy[]; refused: string[] }>()(WINDOW, nothing),
  'policies.save': method<Policy>()(WINDOW, policySchema),
  /** The last seven days decided once more, as if the policy were this one. */
  'policies.dryRun': method<DryRun>()(WINDOW, policySchema),
  'policies.remove': method<null>()(WINDOW, z.strictObject({ name: policyName })),

  'clients.list': method<ClientInfo[]>()(WINDOW, nothing),
  /** Null where the host does not know where its bridge is. */
  'clients.launch': method<Launch | null>()(WINDOW, nothing),
  'clients.register': method<ClientInfo>()(WINDOW, z.strictObject({ id: clientId, name: z.string().min(1).max(100), policy: policyName })),
  'clients.bind': method<ClientInfo>()(WINDOW, z.strictObject({ id: clientId, policy: policyName })),
  'clients.rotate': method<ClientInfo>()(WINDOW, z.strictObject({ id: clientId })),
  'clients.revoke': method<null>()(WINDOW, z.strictObject({ id: clientId })),
  /** The next program a person allows becomes the one expected behind this client. */
  'clients.forgetProgram': method<ClientInfo>()(WINDOW, z.strictObject({ id: clientId })),
  'clients.resume': method<null>()(WINDOW, z.strictObject({ id: z.string() })),
  'clients.pause': method<ClientInfo>()(WINDOW, z.strictObject({ id: clientId, paused: z.boolean() })),

  /** Clients that come over HTTP. A token is told here, once, and never again. */
  'tokens.list': method<ClientInfo[]>()(WINDOW, nothing),
  'tokens.add': method<{ client: ClientInfo; token: string }>()(
    WINDOW,
    z.strictObject({ id: clientId, name: z.string().min(1).max(100), policy: policyName, days: tokenDays.default(null) }),
  ),
  /** The token before stays good until the new one has been used. */
  'tokens.rotate': method<{ client: ClientInfo; token: string }>()(
    WINDOW,
    // Without days, as many as the one before was made for.
    z.strictObject({ id: clientId, days: tokenDays.optional() }),
  ),
  'tokens.revoke': method<null>()(WINDOW, z.strictObject({ id: clientId })),

  /** The AI clients on this computer, and our entry in their own files. */
  'registrations.list': method<RegistrationInfo[]>()(SEES, nothing),
  'registrations.preview': method<FilePreview[]>()(SEES, z.strictObject({ client: clientId, act: z.enum(REGISTRATION_ACTS) })),
  'registrations.add': method<RegistrationInfo>()(WINDOW, z.strictObject({ client: clientId, policy: policyName })),
  'registrations.repair': method<RegistrationInfo>()(WINDOW, z.strictObject({ client: clientId })),
  'registrations.remove': method<RegistrationInfo>()(WINDOW, z.strictObject({ client: clientId })),
  'registrations.undo': method<RegistrationInfo>()(WINDOW, z.strictObject({ backup: z.string().regex(/^[0-9a-f]{16}$/) })),
  'registrations.test': method<TrialReport>()(WINDOW, z.strictObject({ client: clientId })),
  'registrations.scan': method<PlaintextFinding[]>()(SEES, nothing),

  /** Windows see the whole log; for the command line this and `audit.export` are bound by its policy, and the rest is counted. */
  'audit.query': method<AuditPage>()(
    SEES,
    z.strictObject({
      filter: auditFilterSchema.default({}),
      before: z.number().nullable().default(null),
      limit: z.number().int().min(1).max(1000).default(100),
      /** Rows to pass over first. */
      skip: z.number().int().min(0).default(0),
    }),
  ),
  'audit.totals': method<AuditTotals>()(WINDOW, z.strictObject({ filter: auditFilterSchema.default({}) })),
  'audit.facets': method<AuditFacets>()(WINDOW, z.strictObject({ filter: auditFilterSchema.default({}) })),
  'audit.histogram': method<Histogram>()(
    WINDOW,
    z.strictObject({ filter: auditFilterSchema.default({}), from: z.number(), to: z.number(), buckets: z.number().int().min(1).max(500) }),
  ),
  /** Every entry about one call, or the one system entry, oldest first. */
  'audit.story': method<LedgerEntry[]>()(WINDOW, z.strictObject({ seq: z.number().int() })),
  /** Written by the host to a file of the person's, so that a million rows cross no window. */
  'audit.export': method<{ rows: number; others: number; path: string }>()(
    SEES,
    z.strictObject({
      filter: auditFilterSchema.default({}),
      format: z.enum(['jsonl', 'csv']),
      /** Without one it goes where downloads go. */
      path: z.string().min(1).max(4096).optional(),
    }),
  ),
  'audit.verify': method<VerifyReport>()(SEES, nothing),
  /** What the last verify since the host started found; null if there was none. */
  'audit.verified': method<Verified | null>()(WINDOW, nothing),
  'audit.breaks': method<AuditBreak[]>()(WINDOW, nothing),

  'settings.get': method<Settings>()(WINDOW, nothing),
  'settings.set': method<Settings>()(WINDOW, someSettingsSchema),

  /** A call to practise on; answers, as late as a client would, with what a client would have been told. */
  'practice.start': method<{ text: string; refused: boolean }>()(WINDOW, nothing),
  /** The PIN of the page: whether there is one, and the first, from a window of the desktop. */
  'pin.state': method<{ set: boolean }>()(WINDOW, nothing),
  'pin.set': method<null>()(WINDOW, z.strictObject({ pin: z.string().max(1024) })),
  'pin.change': method<null>()(WINDOW, z.strictObject({ current: z.string().max(1024), next: z.string().max(1024) })),
  'host.diagnostics': method<{ text: string }>()(WINDOW, nothing),

  'backup.export': method<{ secrets: number; skipped: string[] }>()(
    WINDOW,
    z.strictObject({ path: z.string().min(1).max(4096), passphrase }),
  ),
  /** What an import would change, and what to hand in to have just that done. */
  'backup.preview': method<{ plan: ImportPlan; id: string }>()(
    WINDOW,
    z.strictObject({ path: z.string().min(1).max(4096), passphrase, withKeys: z.boolean() }),
  ),
  'backup.import': method<{ secrets: number; policies: number; kept: string[]; clients: string[] }>()(
    WINDOW,
    z.strictObject({ path: z.string().min(1).max(4096), passphrase, agreed: z.string().max(64) }),
  ),

  /** `tools.call` reaches the five tools; the command line also those for backups and for tokens. */
  'tools.call': method<ToolReply>()(
    CALLS,
    z.strictObject({ tool: z.string(), arguments: z.unknown(), says: z.string().nullable().default(null) }),
  ),
  /** A call the protocol refused before it could be made (a notification, a forbidden batch): for the record alone. */
  'tools.rejected': method<null>()(
    CALLS,
    z.strictObject({
      tool: z.string().nullable(),
      fields: z.array(z.string()),
      reason: z.string(),
      says: z.string().nullable().default(null),
    }),
  ),
  'resources.list': method<{ resources: ResourceInfo[]; next: string | null }>()(
    CALLS,
    z.strictObject({ cursor: z.string().nullable().default(null) }),
  ),
  'resources.read': method<{ text: string } | null>()(CALLS, z.strictObject({ uri: z.string().max(2048) })),
  'names.complete': method<{ values: string[]; total: number }>()(
    CALLS,
    z.strictObject({ what: z.enum(['secret', 'policy']), prefix: z.string().max(200) }),
  ),
} as const

export type Contract = typeof contract
export type MethodName = keyof Contract
export type Params<M extends MethodName> = z.output<Contract[M]['params']>
export type ParamsIn<M extends MethodName> = z.input<Contract[M]['params']>
export type Result<M extends MethodName> =
  NonNullable<Contract[M]['result']> extends never ? null : Exclude<Contract[M]['result'], undefined>

/** What the host tells whoever listens. Windows get all of them, clients only `names`. None carries a value. */
export interface HostEvents {
  /** Open approvals, grants or their state changed: ask again. */
  approvals: null
  /** New entries in the log, up to this seq. */
  audit: { seq: number }
  /** Secret names visible to this listener changed. */
  names: null
  /** Status, settings, policies, clients or secrets changed: ask again. */
  changed: { what: 'status' | 'settings' | 'policies' | 'clients' | 'secrets' }
  show: null
}
export type EventName = keyof HostEvents

/** Errors that cross the door: a code for programs, a sentence for people. */
export interface RpcFault {
  code: 'forbidden' | 'unknown method' | 'bad params' | 'locked' | 'refused' | 'limited' | 'not found' | 'exists' | 'internal'
  message: string
}
