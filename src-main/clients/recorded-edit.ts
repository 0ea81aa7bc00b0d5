// An edit of a client's file, together with what its removal or an undo will have to know: what was there before, and what we added.

import { rmdirSync } from 'node:fs'
import type { ConfigBackup } from '../../src-shared/registration.ts'
import { Refusal } from '../host/errors.ts'
import type { Backups } from './backups.ts'
import { readConfig } from './config-file.ts'
import { editConfig, planEdit, type Wish } from './edit.ts'
import type { ClientFacts } from './facts.ts'
import type { Ledger } from './ledger.ts'
import { entryIn, troubleOf, troubleText } from './look.ts'

export function createRecordedEdits(ledger: Ledger, backups: Backups) {
  /** Every file can be edited, or none is. */
  const rehearse = (facts: ClientFacts, files: readonly string[], wishOf: (file: string) => Wish): void => {
    for (const file of files) {
      try {
        planEdit(readConfig(file), facts, wishOf(file))
      } catch (error) {
        throw new Refusal(troubleText(file, troubleOf(error)))
      }
    }
  }

  const edit = async (facts: ClientFacts, file: string, wish: Wish): Promise<void> => {
    const old = ledger.file(facts.id, file)
    let backup: ConfigBackup | null = null
    let kept: string | null = null
    let had: unknown
    /** Remembered before it is done: what a crash leaves undone is then found missing, and put in. */
    const keep = (before: Buffer | null): void => {
      const mark = ledger.mark(before)
      if (mark === kept) return
      kept = mark
      backup = backups.keep(facts.id, file, before)
      had = wish.is === 'restore' ? undefined : entryIn(facts, { real: file, bytes: before })
      if (wish.is === 'set') note(before, ledger.mark(null), 0, [])
    }
    const note = (before: Buffer | null, mark: string, missing: number, madeFolders: string[]): void => {
      const first = had === undefined
      ledger.put(facts.id, {
        path: file,
        existed: first ? before !== null : (old?.existed ?? true),
        ownKeys: first ? missing : (old?.ownKeys ?? 0),
        madeFolders: [...(old?.madeFolders ?? []), ...madeFolders],
        // Bytes with an entry of our name in them are not where a removal should lead.
        backup: first ? (backup?.id ?? null) : null,
        mark,
      })
    }
    try {
      const { before, after, missing, madeFolders } = await editConfig(file, facts, wish, keep)
      // Nothing to do: what is remembered from when it was done stays true.
      if (wish.is === 'set' && kept === null && old !== null) return
      if (wish.is === 'set') {
        if (kept === null) had = wish.entry
        note(before, ledger.mark(after), missing, madeFolders)
      } else {
        if (after === null) for (const folder of (old?.madeFolders ?? []).toReversed()) removeIfEmpty(folder)
        ledger.drop(facts.id, file)
      }
    } catch (error) {
      if (wish.is === 'set' && old === null && kept !== null && !holdsEntry(facts, file)) ledger.drop(facts.id, file)
      throw new Refusal(troubleText(file, troubleOf(error)))
    }
  }

  return { rehearse, edit }
}

/** What was never put in must not be missed, and put back, later. */
function holdsEntry(facts: ClientFacts, file: string): boolean {
  try {
    return entryIn(facts, readConfig(file)) !== undefined
  } catch {
    return true // It cannot be told: what is remembered stays.
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Somebody put something in it, or it is gone: either way it is not ours any more.
  }
}
