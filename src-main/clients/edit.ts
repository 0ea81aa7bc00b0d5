// One edit of one file, from reading to reading back. Either our entry is in it (or out of it) and everything else as it was, or the
// file is untouched and the reason is told.

import { closeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { ClientFacts } from './facts.ts'
import { withClientLock } from './client-lock.ts'
import {
  makeFolders,
  Overtaken,
  readConfig,
  readOpen,
  replaceConfig,
  requireWritable,
  type Content,
  type FaultPoint,
} from './config-file.ts'
import { Fault, type Document, type Splice } from './formats/document.ts'
import { decode, encode, openDocument, withEntry, withoutEntry, type Text } from './formats/open.ts'

export type Wish =
  | { is: 'set'; entry: Record<string, unknown> }
  /** `ownKeys` and `ownFile`: what we made when we added it. */
  | { is: 'remove'; ownKeys: number; ownFile: boolean }
  /** The very bytes; null: no file. Only where `from` is what is there. */
  | { is: 'restore'; from: (bytes: Buffer | null) => boolean; bytes: Buffer | null }

export interface Plan {
  content: Content
  text: Text
  splices: Splice[]
  after: Buffer | null
  /** How many keys on the way to our entry are not there yet. */
  missing: number
  entry: unknown
}

/** What an edit would do. Throws a Fault where it would not be done. */
export function planEdit(content: Content, facts: ClientFacts, wish: Wish): Plan {
  if (wish.is === 'restore') {
    if (!wish.from(content.bytes)) throw new Fault('it has changed since')
    return { content, text: { bom: false, text: '' }, splices: [], after: wish.bytes, missing: 0, entry: undefined }
  }
  const text = decode(content.bytes ?? Buffer.alloc(0))
  const document = openDocument(text.text, facts)
  const change =
    wish.is === 'set' ? withEntry(text.text, document, facts, wish.entry) : withoutEntry(text.text, document, facts, wish.ownKeys)
  const after = change.splices.length === 0 ? content.bytes : goesToo(wish, document) ? null : encode({ bom: text.bom, text: change.after })
  return { content, text, splices: change.splices, after, missing: document.missing, entry: document.entry }
}

const goesToo = (wish: Wish, document: Document): boolean => wish.is === 'remove' && wish.ownFile && document.onlyOurs

export interface Edited {
  before: Buffer | null
  after: Buffer | null
  missing: number
  madeFolders: string[]
}

const TRIES = 40
const SETTLE_MS = 25
const EMPTY_QUIET = 20

/** `keep` is handed the bytes from before, to put them away, before anything is written. */
export async function editConfig(
  file: string,
  facts: ClientFacts,
  wish: Wish,
  keep: (before: Buffer | null) => void,
  faultPoint?: FaultPoint,
): Promise<Edited> {
  let late: Late | null = null
  let undone = 0
  for (let tries = 0; ; tries++) {
    const content = await settled(() => readConfig(file))
    // What was written too late counts only while nobody has written anything newer over ours.
    const base: Content = late !== null && same(content.bytes, late.over) ? { ...content, bytes: late.bytes } : content
    const plan = planEdit(base, facts, wish)
    if (same(plan.after, content.bytes)) return { before: base.bytes, after: plan.after, missing: plan.missing, madeFolders: [] }
    try {
      requireWritable(content)
      keep(base.bytes)
      const madeFolders = content.bytes === null ? makeFolders(content.real) : []
      const lock = content.bytes === null ? undefined : facts.lock
      const replaced = await withClientLock(lock, { file, real: content.real }, () => replaceConfig(content, plan.after, faultPoint))
      const finished = replaced === null ? null : await writtenLate(replaced)
      if (finished === null || same(finished, content.bytes)) {
        return { before: base.bytes, after: plan.after, missing: plan.missing, madeFolders }
      }
      late = { over: plan.after, bytes: finished }
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error
      if (error.how === 'after') undone++
    }
    if (tries >= TRIES || undone >= 3) throw new Fault('another program writes it all the time')
  }
}

interface Late {
  over: Buffer | null
  bytes: Buffer
}

/** What a file holds in the end that we have replaced. */
async function writtenLate(descriptor: number): Promise<Buffer> {
  try {
    return (await settled(() => ({ real: '', bytes: readOpen(descriptor) }))).bytes
  } finally {
    closeSync(descriptor)
  }
}

/**
 * The file as it is when nobody is in the middle of writing it: a writer that is not atomic empties it first. So what has content
 * must stay as it is for a moment, and what has none for much longer.
 */
async function settled<T extends Content>(read: () => T): Promise<T> {
  let before = read()
  let quiet = 0
  for (let tries = 0; tries < TRIES; tries++) {
    await wait(SETTLE_MS)
    const now = read()
    quiet = now.real === before.real && same(now.bytes, before.bytes) ? quiet + 1 : 0
    if (quiet >= (now.bytes?.length === 0 ? EMPTY_QUIET : 1)) return now
    before = now
  }
  return before
}

const same = (a: Buffer | null, b: Buffer | null): boolean => (a === null || b === null ? a === b : a.equals(b))
