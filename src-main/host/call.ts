// A call as it came through the door: parsed once, frozen, and the same from prompt to keychain to log.

import { createHmac, createSecretKey, randomBytes, randomFillSync } from 'node:crypto'
import { isAbsolute } from 'node:path'
import type { TokenDays } from '../../src-shared/approval.ts'
import type { ImportPlan } from '../../src-shared/backup.ts'
import { CLIENT_ID, MOST_TOKEN_DAYS, type Caller } from '../../src-shared/client.ts'
import type { Question } from '../../src-shared/decide.ts'
import { nameFault, newNameFault, valueFault } from '../../src-shared/names.ts'

/** What is asked for. Backups, tokens and registrations are the command line's alone, the practice call is ours; none is listed to AI clients. */
export type Request =
  | { tool: 'get_secret'; name: string }
  | { tool: 'list_secrets'; scope: string | null }
  | { tool: 'store_secret'; name: string; value: string; force: boolean }
  | { tool: 'remove_secret'; name: string }
  | { tool: 'test_policy'; scope: string; secretName: string }
  | { tool: 'export_backup'; path: string; passphrase: string }
  /** `plan` is what it would change: found out by us before anybody is asked, and part of what an answer is good for. */
  | { tool: 'import_backup'; path: string; passphrase: string; withKeys: boolean; plan: ImportPlan | null }
  | { tool: 'list_tokens' }
  | { tool: 'add_token'; client: string; title: string; policy: string; days: number | null }
  | { tool: 'rotate_token'; client: string; days: TokenDays }
  | { tool: 'revoke_token'; client: string }
  | { tool: 'add_client'; app: string; policy: string }
  | { tool: 'repair_client' | 'remove_client'; app: string }
  | { tool: 'practice' }

export interface Call {
  id: string
  caller: Caller
  /** What the client calls itself: untrusted. */
  says: string | null
  request: Readonly<Request>
  /** Monotonic time of arrival. */
  received: number
}

let lastTail = Math.floor(Date.now() / 1000)
/** Asking the system for eight bytes takes as long as asking it for some thousands. */
const random = Buffer.alloc(8 * 512)
let used = random.length

/**
 * Like no other id, and with a tail that counts up. The log finds calls by their tails: with random ones every call would rewrite
 * another page of that index, and bytes to be written are what a commit waits for. It holds each id twice, so they are short.
 */
export function newCallId(): string {
  lastTail = (lastTail + 1) % 2 ** 32
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  const head = random.toString('hex', used, used + 8)
  used += 8
  return head + lastTail.toString(16).padStart(8, '0')
}

/** Which door a call came through, where that decides what can be asked for. */
export type CallAccess = 'client' | 'cli' | 'practice'

export type Parsed = { kind: 'request'; request: Request } | { kind: 'invalid'; field: string; fault: string } | { kind: 'unknown tool' }

/** Reads the arguments of a call. Unknown arguments are ignored, missing ones named. */
export function parseRequest(tool: string, raw: unknown, access: CallAccess): Parsed {
  if (raw !== undefined && (typeof raw !== 'object' || raw === null || Array.isArray(raw))) {
    return isTool(tool, access) ? { kind: 'invalid', field: 'arguments', fault: 'must be an object' } : { kind: 'unknown tool' }
  }
  const read = new ArgumentReader(raw ?? {})
  const request = requestOf(tool, read, access)
  if (request === null) return { kind: 'unknown tool' }
  return read.problem === null ? { kind: 'request', request: Object.freeze(request) } : { kind: 'invalid', ...read.problem }
}

function isTool(tool: string, access: CallAccess): boolean {
  return requestOf(tool, new ArgumentReader({}), access) !== null
}

function requestOf(tool: string, read: ArgumentReader, access: CallAccess): Request | null {
  switch (tool) {
    case 'get_secret':
      return { tool, name: read.text('name', nameFault) }
    case 'list_secrets':
      return { tool, scope: read.optionalText('scope') }
    case 'store_secret':
      return { tool, name: read.text('name', newNameFault), value: read.text('value', valueFault), force: read.flag('force') }
    case 'remove_secret':
      return { tool, name: read.text('name', nameFault) }
    case 'test_policy':
      return { tool, scope: read.text('scope', scopeFault), secretName: read.text('secret_name', nameFault) }
    case 'export_backup':
    case 'import_backup': {
      if (access !== 'cli') return null
      const backup = { path: read.text('path', pathFault), passphrase: read.text('passphrase', passphraseFault) }
      return tool === 'export_backup' ? { tool, ...backup } : { tool, ...backup, withKeys: read.flag('with_keys'), plan: null }
    }
    case 'list_tokens':
      return access === 'cli' ? { tool } : null
    case 'add_token': {
      if (access !== 'cli') return null
      const client = read.text('client', clientFault)
      return {
        tool,
        client,
        title: read.optionalText('title') ?? client,
        policy: read.text('policy', scopeFault),
        days: read.days('days') ?? null,
      }
    }
    case 'rotate_token': {
      if (access !== 'cli') return null
      const days = read.days('days')
      return { tool, client: read.text('client', clientFault), days: days === undefined ? 'same' : days }
    }
    case 'revoke_token':
      return access === 'cli' ? { tool, client: read.text('client', clientFault) } : null
    case 'add_client':
      return access === 'cli' ? { tool, app: read.text('client', clientFault), policy: read.text('policy', scopeFault) } : null
    case 'repair_client':
    case 'remove_client':
      return access === 'cli' ? { tool, app: read.text('client', clientFault) } : null
    case 'practice':
      return access === 'practice' ? { tool } : null
    default:
      return null
  }
}

const clientFault = (client: string) => (CLIENT_ID.test(client) ? null : 'must be lower-case letters, digits and -')
const scopeFault = (scope: string) => (scope.length > 200 ? 'must be at most 200 characters' : null)
const pathFault = (path: string) => {
  // The person who is asked must be able to read all of it.
  if (path.length > 1000) return 'must be at most 1000 characters'
  return isAbsolute(path) && path.isWellFormed() && !path.includes('\0') ? null : 'must be an absolute path'
}
const passphraseFault = (passphrase: string) => (passphrase.length < 8 ? 'must have at least 8 characters' : null)

/** Collects the first problem instead of throwing, so that the shape of a request is read in one place. */
class ArgumentReader {
  problem: { field: string; fault: string } | null = null
  readonly #raw: object

  constructor(raw: object) {
    this.#raw = raw
  }

  text(field: string, fault: (text: string) => string | null): string {
    const value = this.#own(field)
    if (value === undefined) return this.#fail(field, 'is required')
    if (typeof value !== 'string') return this.#fail(field, 'must be a string')
    const found = fault(value)
    return found === null ? value : this.#fail(field, found)
  }

  optionalText(field: string): string | null {
    return this.#own(field) === undefined ? null : this.text(field, scopeFault)
  }

  flag(field: string): boolean {
    const value = this.#own(field)
    if (value === undefined) return false
    if (typeof value === 'boolean') return value
    this.#fail(field, 'must be true or false')
    return false
  }

  /** Null: none, and said so. */
  days(field: string): number | null | undefined {
    const value = this.#own(field)
    if (value === undefined || value === null) return value
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_TOKEN_DAYS) return value
    this.#fail(field, `must be a whole number from 1 to ${MOST_TOKEN_DAYS}`)
    return null
  }

  #own(field: string): unknown {
    return Object.hasOwn(this.#raw, field) ? (this.#raw as Record<string, unknown>)[field] : undefined
  }

  #fail(field: string, fault: string): '' {
    this.problem ??= { field, fault }
    return ''
  }
}

/** The names of what was sent, and nothing else of it: a value may stand in the wrong field. */
export function fieldNames(raw: unknown): string[] {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return []
  return Object.keys(raw)
    .slice(0, 32)
    .map((name) => name.slice(0, 64))
}

export function secretOf(request: Request): string | null {
  switch (request.tool) {
    case 'get_secret':
    case 'store_secret':
    case 'remove_secret':
      return request.name
    case 'test_policy':
      return request.secretName
    case 'list_secrets':
    case 'export_backup':
    case 'import_backup':
    case 'list_tokens':
    case 'add_token':
    case 'rotate_token':
    case 'revoke_token':
    case 'add_client':
    case 'repair_client':
    case 'remove_client':
    case 'practice':
      return null
  }
}

/** The file a backup is written to or read from. */
export function fileOf(request: Request): string | null {
  return 'path' in request ? request.path : null
}

/** What an import would change, as the person is shown it. */
export function importOf(request: Request): { imports?: ImportPlan } {
  return request.tool === 'import_backup' && request.plan !== null ? { imports: request.plan } : {}
}

/** The token a request is about, as the person is shown it. */
export function tokenOf(request: Request): { token?: { client: string; policy: string | null; days?: TokenDays } } {
  if (!('client' in request)) return {}
  const policy = 'policy' in request ? request.policy : null
  return { token: { client: request.client, policy, ...('days' in request && { days: request.days }) } }
}

/** The registration a request is about, as the person is shown it. */
export function registrationOf(request: Request): { registration?: { client: string; policy: string | null } } {
  return 'app' in request ? { registration: { client: request.app, policy: 'policy' in request ? request.policy : null } } : {}
}

/** What `decide` is asked about a request; null where nothing of one secret is touched. */
export function actOf(request: Request): Question['act'] | null {
  switch (request.tool) {
    case 'get_secret':
      return 'read'
    case 'store_secret':
    case 'remove_secret':
    case 'export_backup':
    case 'import_backup':
    case 'add_token':
    case 'rotate_token':
    case 'revoke_token':
    case 'add_client':
    case 'repair_client':
    case 'remove_client':
    // Asked about like a write, so that it always is.
    case 'practice':
      return 'write'
    case 'list_secrets':
    case 'list_tokens':
    case 'test_policy':
      return null
  }
}

/** The process that the person is shown as asking; an equal request of another one is not the same question. */
export function processOf({ process = null, connection }: Caller): string {
  return process ?? connection
}

// Made anew at every start: a digest covers values, so it must mean nothing to anyone who reads our memory later or our disk ever.
const digestKey = createSecretKey(randomBytes(32))

/**
 * Names "the same call": same client, from the same program and standing, same tool and arguments, about the same version of the
 * secret. An answer given to one digest is good for nothing else; the version in it means that a change in between asks again.
 * Where the system does not say which program asks, the connection stands for it.
 */
export function digestOf({ caller, request }: Pick<Call, 'caller' | 'request'>, version: number | null): string {
  const { clientId, standing, program = null, connection } = caller
  return createHmac('sha256', digestKey)
    .update(JSON.stringify([clientId, standing, program, program === null ? connection : null, version, Object.entries(request)]))
    .digest('hex')
}
