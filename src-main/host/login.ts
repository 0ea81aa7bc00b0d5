// Who may open the web page: whoever knows the PIN, or the passphrase where the vault is sealed. Wrong tries slow everybody down,
// whatever connection they come from.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { LoginMode } from '../../src-shared/login.ts'
import type { HostStatus } from '../../src-shared/rpc.ts'
import type { Clock } from './ports.ts'
import type { Rows } from './rows.ts'

export type LoginAnswer = { ok: true } | { ok: false; message: string; waitMs: number }

export interface Login {
  mode: () => LoginMode
  enter: (secret: string) => Promise<LoginAnswer>
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
const LONGEST_WAIT_MS = 5 * 60_000

/** Counts wrong tries and says how long to wait: nothing for the first three, then doubling from one second. */
function createSlowdown(clock: Clock) {
  let wrong = 0
  let openAt = 0
  return {
    waitMs: () => Math.max(0, Math.ceil(openAt - clock.mono())),
    right: () => {
      wrong = 0
    },
    wrong: () => {
      wrong++
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
  createVault: (passphrase: string) => Promise<void>
  /** False for a wrong passphrase. Also when the vault is open already: it is how a page logs in. */
  tryPassphrase: (passphrase: string) => Promise<boolean>
}

export function createLogin(parts: LoginParts): Login {
  const slowdown = createSlowdown(parts.clock)
  let busy = false

  const mode = (): LoginMode => {
    const state = parts.state()
    if (state === 'damaged') return 'damaged'
    if (state === 'new') return 'set passphrase'
    if (parts.sealed()) return 'passphrase'
    if (state === 'locked') return 'locked'
    const pin = parts.pin().state()
    if (pin === 'refused') return 'damaged'
    return pin === 'set' ? 'pin' : 'set pin'
  }

  const no = (message: string): LoginAnswer => ({ ok: false, message, waitMs: slowdown.waitMs() })

  const check = async (secret: string): Promise<LoginAnswer> => {
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
      case 'passphrase':
        return verdict(await parts.tryPassphrase(secret), 'That is not the passphrase.')
      case 'pin':
        return verdict(await parts.pin().check(secret), 'That is not the PIN.')
    }
  }

  const setPin = async (pin: string): Promise<LoginAnswer> => {
    if (!/^.{4,64}$/u.test(pin)) return no('A PIN has 4 to 64 characters.')
    await parts.recordPinSet()
    await parts.pin().set(pin)
    return { ok: true }
  }

  const verdict = (right: boolean, message: string): LoginAnswer => {
    if (right) {
      slowdown.right()
      return { ok: true }
    }
    slowdown.wrong()
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
    enter: (secret) => inTurn(() => check(secret)),
    change: (current, next) =>
      inTurn(async () => {
        if (mode() !== 'pin') return no('There is no PIN to change.')
        const known = verdict(await parts.pin().check(current), 'That is not the PIN.')
        return known.ok ? setPin(next) : known
      }),
  }
}
