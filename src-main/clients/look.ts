// How one file stands, and what an act would do to it. Looking changes nothing.

import { isDeepStrictEqual } from 'node:util'
import type { FilePreview, FileTrouble, RegistrationAct, RegistrationFile } from '../../src-shared/registration.ts'
import { diskTrouble } from '../host/disk-trouble.ts'
import type { Backups } from './backups.ts'
import { openToOthers, readConfig, requireWritable, type Content } from './config-file.ts'
import { diffOf, wholeDiff } from './diff.ts'
import { planEdit, type Wish } from './edit.ts'
import type { ClientFacts, Launch } from './facts.ts'
import { Fault } from './formats/document.ts'
import { decode, openDocument, withEntry } from './formats/open.ts'
import type { Ledger } from './ledger.ts'

export function troubleOf(error: unknown): FileTrouble {
  if (error instanceof Fault) return { message: error.message, line: error.line, column: error.column }
  const code = error instanceof Error && 'code' in error ? String(error.code) : null
  if (code === null) throw error
  const full = code === 'ENOSPC' || code === 'EDQUOT'
  const message = code === 'EACCES' || code === 'EPERM' ? 'this account may not read it' : `it cannot be read (${code})`
  return {
    message: full ? `it cannot be written, because ${diskTrouble(error)}` : message,
    line: null,
    column: null,
  }
}

/** "‹file›, line 3, column 5: the file ends too early. It was left as it is." */
export function troubleText(file: string, { message, line, column }: FileTrouble): string {
  return `${file}${line === null ? '' : `, line ${line}, column ${column}`}: ${message}. It was left as it is.`
}

export function entryIn(facts: ClientFacts, { bytes }: Content): unknown {
  return openDocument(decode(bytes ?? Buffer.alloc(0)).text, facts).entry
}

/** `client`: it has a registration. `entry`: and we have put our entry into this file. */
export type Remembered = 'nothing' | 'client' | 'entry'

export function lookAt(facts: ClientFacts, file: string, launch: Launch, remembered: Remembered): RegistrationFile {
  let exists = true
  try {
    const content = readConfig(file)
    exists = content.bytes !== null
    const entry = entryIn(facts, content)
    if (entry === undefined) return { path: file, exists, state: remembered === 'entry' ? 'vanished' : 'detected', trouble: null }
    // The entry of a client that is not known leads to a registration that is not there.
    const isOurs = remembered !== 'nothing' && isDeepStrictEqual(entry, facts.entry(launch))
    return { path: file, exists, state: isOurs ? 'registered' : 'changed', trouble: null }
  } catch (error) {
    return { path: file, exists, state: 'broken', trouble: troubleOf(error) }
  }
}

/** What taking our entry out of a file comes to: the bytes from before where nobody else changed it, our entry alone otherwise. */
export function removalOf(client: string, file: string, content: Content, ledger: Ledger, backups: Backups): Wish {
  const known = ledger.file(client, file)
  if (known === null) return { is: 'remove', ownKeys: 0, ownFile: false }
  const untouched = ledger.mark(content.bytes) === known.mark
  const before = untouched && known.backup !== null ? backups.read(known.backup) : null
  if (before === null) return { is: 'remove', ownKeys: known.ownKeys, ownFile: !known.existed }
  return { is: 'restore', from: (bytes) => ledger.mark(bytes) === known.mark, bytes: before.bytes }
}

export function previewOf(
  facts: ClientFacts,
  file: string,
  act: RegistrationAct,
  launch: Launch,
  ledger: Ledger,
  backups: Backups,
): FilePreview {
  const entry = facts.entry(launch)
  const snippet = withEntry('', openDocument('', facts), facts, entry).after
  try {
    const content = readConfig(file)
    // The diff of a removal is told from the entry even where the bytes from before come back: it is the same to the eye.
    const known = ledger.file(facts.id, file)
    const wish: Wish =
      act === 'remove' ? { is: 'remove', ownKeys: known?.ownKeys ?? 0, ownFile: known?.existed === false } : { is: 'set', entry }
    const plan = planEdit(content, facts, wish)
    const unchanged = { path: file, diff: '', trouble: null, warning: null, snippet }
    if (plan.splices.length === 0) return { ...unchanged, does: 'nothing' }
    requireWritable(content)
    const changed = { ...unchanged, warning: openToOthers(content) }
    if (content.bytes === null) return { ...changed, does: 'create', diff: wholeDiff(snippet, '+') }
    const whole = removalOf(facts.id, file, content, ledger, backups)
    const goes = act === 'remove' && (whole.is === 'restore' ? whole.bytes === null : plan.after === null)
    if (goes) return { ...changed, does: 'delete', diff: wholeDiff(plan.text.text, '-') }
    return { ...changed, does: 'change', diff: diffOf(plan.text.text, plan.splices) }
  } catch (error) {
    return { path: file, does: 'nothing', diff: '', trouble: troubleOf(error), warning: null, snippet }
  }
}
