// Every command, once: the help is printed from here, and docs/cli.md is made from here (`npm run docs:cli`).

import { OUTCOMES } from '../../src-shared/audit.ts'
import type { Command } from './arguments.ts'
import { EXIT } from './exit.ts'

interface Option {
  /** As it is typed, with a word for its value. */
  flag: string
  does: string
}

export interface CommandFacts {
  group: Group
  /** What comes after `countersign`, options aside. */
  words: string
  does: string
  options?: readonly Option[]
}

export const GROUPS = {
  start: 'Start and look',
  secrets: 'Secrets',
  log: 'The log',
  backup: 'Backup',
  clients: 'AI clients',
  tokens: 'Programs that come over HTTP',
} as const
export type Group = keyof typeof GROUPS

const FILTERS: readonly Option[] = [
  { flag: '--client ID', does: 'calls of this client; given twice, of either' },
  { flag: '--tool NAME', does: 'calls of this tool' },
  { flag: '--secret NAME', does: 'calls about this secret' },
  { flag: '--outcome WORD', does: `one of ${OUTCOMES.join(', ')}` },
  { flag: '--last 24h', does: 'not older than this: a number and s, m, h, d or w' },
  { flag: '--text WORDS', does: 'with these words in them' },
]
const DRY_RUN: Option = { flag: '--dry-run', does: 'shows the exact diff; nobody is asked and nothing is written' }
const POLICY: Option = { flag: '--policy NAME', does: 'the policy it is bound to; default if left out' }

/** `mcp` is answered before anything else is loaded, and so is no command of the parser. */
type Documented = Exclude<Command['is'], 'help' | 'version'> | 'mcp'

export const COMMANDS: Record<Documented, CommandFacts> = {
  start: { group: 'start', words: '', does: 'start Countersign, or bring it to the front' },
  mcp: {
    group: 'start',
    words: 'mcp',
    does: 'the MCP server that AI clients launch (stdio)',
    options: [{ flag: '--client ID', does: 'the registration it was launched for; without one its calls are unverified' }],
  },
  status: { group: 'start', words: 'status', does: 'is it running, where is its page, who waits' },
  doctor: {
    group: 'start',
    words: 'doctor',
    does: 'what is wrong here, and what to do about it',
    options: [{ flag: '--full', does: 'also verifies every entry of the log' }],
  },

  list: {
    group: 'secrets',
    words: 'list',
    does: 'names of secrets',
    options: [{ flag: '--scope POLICY', does: 'only those that this policy allows as well' }],
  },
  get: { group: 'secrets', words: 'get NAME', does: 'the value, exactly (a terminal gets a line end after it)' },
  store: {
    group: 'secrets',
    words: 'store NAME',
    does: 'value from stdin, exactly as piped in, line ends included; at a terminal: one line, not shown, without its end',
    options: [{ flag: '--force', does: 'replaces a value that is there' }],
  },
  remove: { group: 'secrets', words: 'remove NAME', does: 'the secret, its value and its history' },
  'policy test': { group: 'secrets', words: 'policy test POLICY NAME', does: '"allowed" or "denied"' },

  'audit show': {
    group: 'log',
    words: 'audit show',
    does: 'calls and events, the newest first: those about secrets that its policy lets it see, its own calls, and what names no secret; the rest is counted',
    options: [...FILTERS, { flag: '--limit 50', does: 'so many rows at most' }],
  },
  'audit export': {
    group: 'log',
    words: 'audit export FILE',
    does: 'the same, into a file; how many were left out goes to stderr',
    options: [{ flag: '--format jsonl|csv', does: 'csv if FILE ends so, else jsonl' }, ...FILTERS],
  },
  'audit verify': { group: 'log', words: 'audit verify', does: 'is the log as it was written?' },

  'backup export': {
    group: 'backup',
    words: 'backup export FILE',
    does: 'everything but the log, under a passphrase: asked for at a terminal without echo, otherwise the first line of stdin',
  },
  'backup import': {
    group: 'backup',
    words: 'backup import FILE',
    does: 'brings it back, here or on another computer; you are shown what it would change, and asked',
    options: [{ flag: '--with-keys', does: 'gives the clients of the backup keys, so that they can connect at once' }],
  },

  'clients list': { group: 'clients', words: 'clients list', does: 'AI clients on this computer, and whether we are registered' },
  'clients add': {
    group: 'clients',
    words: 'clients add CLIENT',
    does: 'puts our entry into its own configuration',
    options: [POLICY, DRY_RUN],
  },
  'clients repair': { group: 'clients', words: 'clients repair CLIENT', does: 'puts the entry back as it was', options: [DRY_RUN] },
  'clients remove': { group: 'clients', words: 'clients remove CLIENT', does: 'takes it out, to the byte', options: [DRY_RUN] },
  'clients remove all': {
    group: 'clients',
    words: 'clients remove --all',
    does: 'out of every client, before Countersign is uninstalled',
    options: [DRY_RUN],
  },
  'clients scan': { group: 'clients', words: 'clients scan', does: 'credentials that stand there in plain text, never their values' },

  'clients token list': { group: 'tokens', words: 'clients token list', does: 'which there are, and when they were last used' },
  'clients token add': {
    group: 'tokens',
    words: 'clients token add CLIENT',
    does: 'a token for a new client; it is shown once',
    options: [
      { flag: '--name WORDS', does: 'as you want to read it in requests' },
      POLICY,
      { flag: '--days 90', does: 'ends after that many days, from 1 to 3650; otherwise it has no end' },
    ],
  },
  'clients token rotate': {
    group: 'tokens',
    words: 'clients token rotate CLIENT',
    does: 'a new one; the old one works until it is used, and no longer than its own end',
    options: [{ flag: '--days 90', does: 'ends after that many days, or none; otherwise after as many as the one before' }],
  },
  'clients token revoke': { group: 'tokens', words: 'clients token revoke CLIENT', does: 'it and all it has open end at once' },
}

export const EVERYWHERE: readonly Option[] = [
  { flag: '--json', does: 'one JSON object or array on stdout, also for errors: {"error": ..., "exit": ...}' },
  { flag: '--version', does: 'the version' },
  { flag: '--help', does: 'this help' },
]

export const MANNER =
  'The command line is a client like any other: what it reads follows its policy, what it writes asks a person, and it cannot answer for ' +
  'them. While it waits, it says on stderr where to answer; when nobody answers in time it ends with 1, and the same command repeated ' +
  'after the answer goes through.'

export const EXITS: Record<keyof typeof EXIT, string> = {
  ok: 'done',
  failure: 'failed, or still waiting for an answer; audit verify: tampered with; doctor: something needs you',
  usage: 'wrong usage',
  notFound: 'not found (also: nothing to remove)',
  denied: 'denied (also: policy test says "denied")',
  exists: 'exists already',
  notRunning: 'Countersign is not running',
  noKey: 'audit verify: its key is not there',
  behind: 'audit verify: it is behind its head',
}

/** `clients add CLIENT [--policy NAME] [--dry-run]` */
export function usageOf({ words, options = [] }: CommandFacts): string {
  return ['countersign', words, ...options.map(({ flag }) => `[${flag}]`)].filter(Boolean).join(' ')
}
