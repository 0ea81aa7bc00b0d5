/** An AI application, or the command line, that we know by a key of its own. */
export interface Client {
  id: string
  /** What the person sees. Never the name a program gives itself. */
  name: string
  policy: string
  created: number
  /** Executable of the program that launches our bridge, recorded when a person first allows one of its calls. */
  program: string | null
  /** Generation of its key; the one before stays valid until the new one has been used once. */
  keyGeneration: number
  previousKeyValid: boolean
  /** It came with a backup and has no key here yet: a person gives it one. */
  keyless?: true
  /** Paused by the person. A pause after unanswered prompts is in memory only. */
  paused: boolean
  /** It comes over HTTP with a bearer token; it has no key and no bridge. */
  via?: 'http'
}

export const CLIENT_ID = /^[a-z0-9][a-z0-9-]{0,63}$/

/** A token may be made to end after this many days, or never. */
export const MOST_TOKEN_DAYS = 3650

/** The command line's own registration; it exists from the first start. */
export const CLI_CLIENT_ID = 'cli'

/** What callers without a registration are called in the log. Not a valid CLIENT_ID, so it can never be registered. */
export const UNREGISTERED = '(unregistered)'

/** What the person is called in the log, at whichever window. Not a valid CLIENT_ID either. */
export const PERSON = '(you)'

/** The built-in caller of the practice prompt. Not a valid CLIENT_ID either. */
export const PRACTICE = '(practice)'

/** One step of the process chain behind a connection, nearest first. */
export interface ProcessStep {
  pid: number
  name: string
  exe: string | null
  /** Start time in clock ticks since boot: tells a pid from a later owner of the same number. */
  started: number | null
}

/**
 * *verified*: proof of the registration's key and the program recorded for it. *new program*: the key, but from another
 * (or not yet recorded) program. *unverified*: no registration at all.
 */
export type Standing = 'verified' | 'new program' | 'unverified'

/** Who is calling, as the gate found out when the connection was made. */
export interface Caller {
  clientId: string
  clientName: string
  standing: Standing
  /** Tells connections apart: an unregistered caller's approvals end with its connection. */
  connection: string
  peer: ProcessStep[]
  /** The program that asks, where the system itself says so: what a person's answer is good for, and allows along with the first call. */
  program?: string | null
  /** The very process of that program: an equal request of another one is a question of its own. */
  process?: string | null
}
