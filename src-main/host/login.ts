// Who may open the web page: whoever knows the PIN, or the passphrase where the vault is sealed. Wrong tries slow everybody down,
// whatever connection they come from.

import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { LoginMode } from '../../src-shared/login.ts'
import type { HostStatus } from '../../src-shared/rpc.ts'
import type { Clock } from './ports.ts'
import { AuditError } from './audit/errors.ts'
import { diskTrouble } from './disk-trouble.ts'
import type { FirstPin } from './first-pin.ts'
import type { LoginTries } from './login-tries.ts'
import type { Rows } from './rows.ts'

export type LoginAnswer = { ok: true } | { ok: false; message: string; waitMs: number }

export interface Login {
  mode: () => LoginMode
  /** `code` is what the host printed to its terminal, where the first PIN needs it. */
  enter: (secret: string, code?: string) => Promise<LoginAnswer>
  /** The first PIN, from the desktop's window. */
  set: (pin: string) => Promise<LoginAnswer>
  /** A code that lets its reader choose the first PIN, once; null where none is needed. For a terminal that a person sees. */
  makeCode: () => string | null
  /** The vault is open: tries from before count on, and those made while it was shut are recorded. */
  opened: () => Promise<void>
  /** Another PIN, for whoever knows the one so far. */
  change: (current: string, next: string) => Promise<LoginAnswer>
}

const ROW = 'pin'
const derive = promisify(scrypt) as (secret: string, salt: Buffer, length: number) => Promise<Buffer>

/** The PIN as a row under MAC. Editing it or taking it away does not open the page: then nobody may set one either. */
export function openPin(rows: Rows) {
  const stored = () => rows.get('setting', ROW) as { salt: string; hash: string } | null
  return {
    state: (): 'set' | 'unset' | 'refused' => {
      if (rows.refused.some(({ kind, id }) => kind === 'setting' && id === ROW)) return 'refused'
      if (stored() !== null) return 'set'
      return rows.intact ? 'unset' : 'refused'
    },
    async set(pin: string): Promise<void> {
      const salt = randomBytes(16)
      rows.put('setting', ROW, { salt: salt.toString('hex'), hash: (await derive(pin, salt, 32)).toString('hex') })
    },
    async check(pin: string): Promise<boolean> {
      const row = stored()
      if (row === null) return false
      return timingSafeEqual(Buffer.from(row.hash, 'hex'), await derive(pin, Buffer.from(row.salt, 'hex'), 32))
    },
  }
}

const FREE_TRIES = 3
/** Whoever guesses must not keep the person out for longer than this. */
const LONGEST_WAIT_MS = 60_000

/** Counts wrong tries and says how long to wait: nothing for the first three, then doubling from one second. */
function createSlowdown(clock: Clock) {
  let wrong = 0
  let openAt = 0
  return {
    waitMs: () => Math.max(0, Math.ceil(openAt - clock.mono())),
    right: () => {
      wrong = 0
    },
    wrong: (before = wrong) => {
      wrong = Math.max(wrong, before) + 1
      if (wrong >= FREE_TRIES) openAt = clock.mono() + Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (wrong - FREE_TRIES))
    },
  }
}

export interface LoginParts {
  clock: Clock
  state: () => HostStatus['state']
  sealed: () => boolean
  pin: () => ReturnType<typeof openPin>
  recordPinSet: () => Promise<void>
  firstPin: () => FirstPin
  /** Null while the vault is not open. */
  tries: () => LoginTries | null
  createVault: (passphrase: string) => Promise<void>
  /** False for a wrong passphrase. Also when the vault is open already: it is how a page logs in. */
  tryPassphrase: (passphrase: string) => Promise<boolean>
}

export function createLogin(parts: LoginParts): Login {
  const slowdown = createSlowdown(parts.clock)
  let busy = false
  let code: string | null = null
  let untold = 0

  const mode = (): LoginMode => {
    const state = parts.state()
    if (state === 'damaged') return 'damaged'
    if (state === 'new') return 'set passphrase'
    if (parts.sealed()) return 'passphrase'
    if (state === 'locked') return 'locked'
    const pin = parts.pin().state()
    if (pin === 'refused') return 'damaged'
    if (pin === 'set') return 'pin'
    const first = parts.firstPin()
    if (first === 'anybody') return 'set pin'
    return first === 'code' && code !== null ? 'set pin with code' : 'set pin elsewhere'
  }

  const no = (message: string): LoginAnswer => ({ ok: false, message, waitMs: slowdown.waitMs() })

  const check = async (secret: string, given: string): Promise<LoginAnswer> => {
    switch (mode()) {
      case 'damaged':
        return no('The vault is damaged; nobody can log in until it is restored.')
      case 'locked':
        return no('The keychain is locked. Unlock it on this computer, then try again.')
      case 'set passphrase':
        if (secret.length < 8) return no('A passphrase has at least 8 characters.')
        await parts.createVault(secret)
        return { ok: true }
      case 'set pin':
        return setPin(secret)
      case 'set pin elsewhere':
        return no(ELSEWHERE)
      case 'set pin with code': {
        const known = await verdict(code !== null && isSame(plain(given), plain(code)), 'code', 'That is not the code in the terminal.')
        return known.ok ? setPin(secret) : known
      }
      case 'passphrase':
        return verdict(await parts.tryPassphrase(secret), 'passphrase', 'That is not the passphrase.')
      case 'pin':
        return verdict(await parts.pin().check(secret), 'PIN', 'That is not the PIN.')
    }
  }

  const setPin = async (pin: string): Promise<LoginAnswer> => {
    if (!/^.{4,64}$/u.test(pin)) return no('A PIN has 4 to 64 characters.')
    await parts.recordPinSet()
    await parts.pin().set(pin)
    code = null
    return { ok: true }
  }

  const verdict = async (right: boolean, what: string, message: string): Promise<LoginAnswer> => {
    const tries = parts.tries()
    if (right) {
      slowdown.right()
      tries?.right()
      return { ok: true }
    }
    slowdown.wrong()
    if (tries === null) untold++
    else await tries.wrong(what)
    return no(message)
  }

  /** One try at a time, so that many connections guess no faster than one. */
  const inTurn = async (work: () => Promise<LoginAnswer>): Promise<LoginAnswer> => {
    if (busy || slowdown.waitMs() > 0)
      return { ok: false, message: 'Too many tries; wait a moment.', waitMs: Math.max(500, slowdown.waitMs()) }
    busy = true
    try {
      return await work()
    } finally {
      busy = false
    }
  }

  return {
    mode,
    enter: (secret, given = '') => inTurn(() => check(secret, given)),
    set: (pin) => inTurn(async () => (mode().startsWith('set pin') ? setPin(pin) : no('There is a PIN already; change that.'))),
    makeCode: () => {
      const state = parts.state()
      const mayBeAsked = state === 'open' ? mode().startsWith('set pin') && parts.firstPin() === 'code' : state === 'locked'
      if (parts.sealed() || !mayBeAsked) return null
      code ??= freshCode()
      return code
    },
    opened: async () => {
      const tries = parts.tries()
      if (tries === null) return
      // A host that is started anew grants no free tries.
      if (tries.inARow() > 0) slowdown.wrong(tries.inARow() - 1)
      const told = untold
      untold = 0
      if (told === 0) return
      try {
        await tries.wrong('passphrase', told)
      } catch (error) {
        // Without room on the disk they are told with the next opening; the vault is open all the same.
        untold += told
        if (!(error instanceof AuditError) && diskTrouble(error) === null) throw error
      }
    },
    change: (current, next) =>
      inTurn(async () => {
        if (mode() !== 'pin') return no('There is no PIN to change.')
        const known = await verdict(await parts.pin().check(current), 'PIN', 'That is not the PIN.')
        return known.ok ? setPin(next) : known
      }),
  }
}

const ELSEWHERE =
  'This data folder is in use already, so its first PIN has to come from you: choose it in the desktop app, under Settings. Without a desktop, start the host from a terminal and enter the code it prints.'

/** Unambiguous letters, in two groups; no case and no spaces matter. */
function freshCode(): string {
  const letters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'
  const four = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('')
  return `${four()}-${four()}`
}

const plain = (code: string): string => code.toUpperCase().replace(/[^A-Z0-9]/g, '')

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
