import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Shape } from './projection.ts'
import { WordReader } from './words.ts'

/** What a connection of the reader knows of words and shapes. Both only ever grow, so each question loads what is new. */
export class Lexicon {
  readonly words: WordReader
  readonly #newer: StatementSync
  readonly #shapes = new Map<number, Shape>()
  #newest = 0

  constructor(db: DatabaseSync) {
    this.words = new WordReader(db)
    this.#newer = db.prepare('SELECT id, client, tool, secret, outcome, event, rule, approver FROM shapes WHERE id > ? ORDER BY id')
    this.#newer.setReturnArrays(true)
  }

  shapes(): ReadonlyMap<number, Shape> {
    for (const row of this.#newer.iterate(this.#newest)) {
      // Integers of a STRICT table, in an array as asked for although the types speak of objects.
      const [id, ...shape] = row as unknown as [number, ...Shape]
      this.#shapes.set(id, shape)
      this.#newest = id
    }
    return this.#shapes
  }

  shape(id: number): Shape {
    return this.#shapes.get(id) ?? this.shapes().get(id) ?? [0, 0, 0, 0, 0, 0, 0]
  }
}

/** A state of the log and what is known about it: what every question is asked of. */
export interface Log {
  db: DatabaseSync
  lexicon: Lexicon
}
