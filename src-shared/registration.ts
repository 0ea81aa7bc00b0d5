// How an AI client stands with us: whether it is on this computer, and whether our entry is in its configuration.

/**
 * `detected`: it is here, without our entry. `registered`: the entry stands as we wrote it. `vanished`: we wrote it, and it is gone.
 * `changed`: an entry of our name says something else. `broken`: the file cannot be read as the client reads it. `absent`: the client
 * is not on this computer.
 */
export type RegistrationState = 'absent' | 'detected' | 'registered' | 'vanished' | 'changed' | 'broken'

/** Why a file is left alone. */
export interface FileTrouble {
  message: string
  line: number | null
  column: number | null
}

export interface RegistrationFile {
  path: string
  exists: boolean
  state: RegistrationState
  trouble: FileTrouble | null
}

/** The bytes from before one of our edits, sealed in our own folder. */
export interface ConfigBackup {
  id: string
  client: string
  path: string
  made: number
  /** False: there was no file, and going back means that it goes. */
  existed: boolean
}

export interface RegistrationInfo {
  id: string
  name: string
  state: RegistrationState
  files: RegistrationFile[]
  /** The policy it is bound to, when it is known to us. */
  policy: string | null
  /** What our entry makes the client start. */
  command: string[]
  /** What the person does for the client to notice a change. */
  after: string
  /** Runs now, and may write its file from memory over ours; null where we cannot tell. */
  running: boolean | null
  forgetful: boolean
  /** We have put the entry back so often that we stopped. */
  givenUp: boolean
  /** Opens the client, which then asks the person itself. */
  installLink: string | null
  backups: ConfigBackup[]
}

export interface FilePreview {
  path: string
  /** `create` and `delete` where the whole file comes or goes. */
  does: 'nothing' | 'create' | 'change' | 'delete'
  /** Line by line, with a sign before each. Values of others are not shown. */
  diff: string
  trouble: FileTrouble | null
  /** What a person has to know before it is changed. */
  warning: string | null
  /** To be pasted by hand where we do not write. */
  snippet: string
}

/** What trying the registered command came to, step by step. */
export interface TrialReport {
  client: string
  command: string[]
  ok: boolean
  steps: { name: string; ok: boolean; detail: string; ms: number }[]
}

/** A credential that stands in plain text. Its value is nowhere in here. */
export interface PlaintextFinding {
  client: string
  clientName: string
  path: string
  server: string
  variable: string
  where: 'environment' | 'header' | 'argument' | 'address'
}

export const REGISTRATION_ACTS = ['add', 'repair', 'remove'] as const
export type RegistrationAct = (typeof REGISTRATION_ACTS)[number]
