import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { asBytes } from './macs.ts'

/** A flood of ever new names must not become a flood of memory. */
const CACHED = 50_000

/**
 * Strings by number. They are stored as JSON text: SQLite would end one at a NUL and replace a lone surrogate, and then the
 * entry that holds it would no longer match its MAC.
 */
export class WordReader {
  readonly #cache = new Map<number, Known>()
  readonly #byId: StatementSync
  readonly #byWord: StatementSync

  constructor(db: DatabaseSync) {
    this.#byId = db.prepare('SELECT word FROM words WHERE id = ?')
    this.#byWord = db.prepare('SELECT id FROM words WHERE word = ?')
  }

  readonly word = (id: number): string | null => (this.#cache.get(id) ?? this.#lookUp(id)).word

  /** The word as JSON. */
  readonly json = (id: number): string => (this.#cache.get(id) ?? this.#lookUp(id)).json

  /** The same, as `asBytes` makes it. */
  readonly bytes = (id: number): string => (this.#cache.get(id) ?? this.#lookUp(id)).bytes

  /** Null for a word that never occurred. */
  idOf(word: string): number | null {
    const id = this.#byWord.get(JSON.stringify(word))?.['id']
    return typeof id === 'number' ? id : null
  }

  #lookUp(id: number): Known {
    const stored = id === 0 ? null : this.#byId.get(id)?.['word']
    const word = typeof stored === 'string' ? wordFrom(stored) : null
    // A word that is gone or broken reads as null, which the entry's MAC then contradicts. It may come yet, so it is not kept.
    if (word === null && id !== 0) return NULL
    const found = word === null ? NULL : known(word)
    if (this.#cache.size >= CACHED) this.#cache.clear()
    this.#cache.set(id, found)
    return found
  }
}

interface Known {
  word: string | null
  json: string
  bytes: string
}

const NULL: Known = { word: null, json: 'null', bytes: 'null' }

function known(word: string): Known {
  const json = JSON.stringify(word)
  return { word, json, bytes: asBytes(json) }
}

/** Null for what nobody but a vandal would store. */
export function wordFrom(stored: string): string | null {
  try {
    const word: unknown = JSON.parse(stored)
    return typeof word === 'string' ? word : null
  } catch {
    return null
  }
}

/** Gives out numbers inside the writer's transactions. */
export class WordWriter {
  readonly #ids = new Map<string, number>()
  readonly #json = new Map<number, string>()
  readonly #find: StatementSync
  readonly #add: StatementSync
  /** While somebody looks for words that no entry uses: those given out meanwhile. */
  #given: Set<number> | null = null

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT id FROM words WHERE word = ?')
    this.#add = db.prepare('INSERT INTO words (word) VALUES (?)')
  }

  readonly id = (word: string | null): number => {
    if (word === null) return 0
    const id = this.#ids.get(word) ?? this.#lookUp(word)
    this.#given?.add(id)
    return id
  }

  /** As JSON, the word whose number was given out a moment ago. */
  readonly json = (id: number): string => this.#json.get(id) ?? 'null'

  #lookUp(word: string): number {
    const json = JSON.stringify(word)
    const found = this.#find.get(json)?.['id']
    const id = typeof found === 'number' ? found : Number(this.#add.run(json).lastInsertRowid)
    this.#ids.set(word, id)
    this.#json.set(id, json)
    return id
  }

  /** Between two transactions: keeps memory within bounds. */
  trim(): void {
    if (this.#ids.size > CACHED) this.forget()
  }

  /** After a rollback some numbers were never given out. */
  forget(): void {
    this.#ids.clear()
    this.#json.clear()
  }

  startWatching(): Set<number> {
    this.#given = new Set()
    return this.#given
  }

  stopWatching(): void {
    this.#given = null
  }
}
