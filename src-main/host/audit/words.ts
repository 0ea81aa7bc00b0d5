import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** A flood of ever new names must not become a flood of memory. */
const CACHED = 50_000

/**
 * Strings by number. They are stored as JSON text: SQLite would end one at a NUL and replace a lone surrogate, and then the
 * entry that holds it would no longer match its MAC.
 */
export class WordReader {
  readonly #cache = new Map<number, string>()
  readonly #byId: StatementSync
  readonly #byWord: StatementSync

  constructor(db: DatabaseSync) {
    this.#byId = db.prepare('SELECT word FROM words WHERE id = ?')
    this.#byWord = db.prepare('SELECT id FROM words WHERE word = ?')
  }

  readonly word = (id: number): string | null => {
    if (id === 0) return null
    const known = this.#cache.get(id)
    if (known !== undefined) return known
    const stored = this.#byId.get(id)?.['word']
    // A word that is gone or broken reads as null, which the entry's MAC then contradicts.
    const word = typeof stored === 'string' ? parsed(stored) : null
    if (word === null) return null
    if (this.#cache.size >= CACHED) this.#cache.clear()
    this.#cache.set(id, word)
    return word
  }

  /** Null for a word that never occurred. */
  idOf(word: string): number | null {
    const id = this.#byWord.get(JSON.stringify(word))?.['id']
    return typeof id === 'number' ? id : null
  }
}

function parsed(stored: string): string | null {
  try {
    const word: unknown = JSON.parse(stored)
    return typeof word === 'string' ? word : null
  } catch {
    return null
  }
}

/** Gives out numbers inside the writer's transactions. */
export class WordWriter {
  readonly #cache = new Map<string, number>()
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
    const id = this.#cache.get(word) ?? this.#lookUp(word)
    this.#given?.add(id)
    return id
  }

  #lookUp(word: string): number {
    const stored = JSON.stringify(word)
    const found = this.#find.get(stored)?.['id']
    const id = typeof found === 'number' ? found : Number(this.#add.run(stored).lastInsertRowid)
    if (this.#cache.size >= CACHED) this.#cache.clear()
    this.#cache.set(word, id)
    return id
  }

  /** After a rollback some numbers were never given out. */
  forget(): void {
    this.#cache.clear()
  }

  startWatching(): void {
    this.#given = new Set()
  }

  stopWatching(): Set<number> {
    const given = this.#given ?? new Set()
    this.#given = null
    return given
  }
}
