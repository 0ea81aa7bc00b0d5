// What the host needs from the world. Shells hand these in; tests hand in a fake clock and otherwise the real thing.

export interface Clock {
  /** Wall clock, ms since 1970. */
  now: () => number
  /** Monotonic, ms. */
  mono: () => number
  /** Calls back once after `ms` of monotonic time; returns a function that cancels. */
  after: (ms: number, run: () => void) => () => void
}

/** What only a shell with a desktop around it can do. Where there is none, the windows hide its controls. */
export interface Shell {
  autostart: { isOn: () => boolean; set: (on: boolean) => void }
  /** To the clipboard; a secret is taken off it again after a while, if it is still there. */
  copy: (text: string, kind: 'text' | 'secret') => Promise<void>
  /** Null when the person thinks better of it. */
  chooseFile: (mode: 'open' | 'save', suggested: string) => Promise<string | null>
}

/** The OS keychain or the sealed vault: small strings by account. Every call settles within 10 s. */
export interface Keychain {
  readonly kind: 'keychain' | 'sealed'
  get: (account: string) => Promise<string | null>
  set: (account: string, value: string) => Promise<void>
  /** False when there was nothing to delete. */
  delete: (account: string) => Promise<boolean>
  close: () => Promise<void>
}

export class KeychainError extends Error {
  override name = 'KeychainError'
  readonly code: 'locked' | 'unavailable'
  constructor(code: 'locked' | 'unavailable', message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
