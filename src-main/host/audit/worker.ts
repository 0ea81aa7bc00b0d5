// The one reader of the audit log. It has no way to write: the database is opened read-only.

import { parentPort, workerData } from 'node:worker_threads'
import type { DatabaseSync } from 'node:sqlite'
import { auditError } from './errors.ts'
import { exportRows } from './exporting.ts'
import { facets, histogram } from './counting.ts'
import { Lexicon, type Log } from './lexicon.ts'
import { UnreadableEntry } from './packing.ts'
import { page, story } from './querying.ts'
import { tryPolicy, usesBetween } from './recent.ts'
import { pruneBase, unused } from './retention.ts'
import type { Answer, AnswerMessage, RequestMessage, RequestName } from './requests.ts'
import { openForReading } from './schema.ts'
import { totals } from './skipping.ts'
import { verify } from './verifying.ts'

const port = parentPort
if (port === null) throw new Error('The audit worker is started by the host.')

// The host is the only one who starts this file, and this is what it hands over.
const { database } = workerData as { database: string }
let shared: Log | null = null

port.on('message', (message: RequestMessage) => {
  void respond(message).then((answer) => port.postMessage(answer))
})

async function respond(message: RequestMessage): Promise<AnswerMessage> {
  try {
    return { id: message.id, answer: await answer(message) }
  } catch (error) {
    return {
      id: message.id,
      reason: error instanceof UnreadableEntry ? error.message : auditError(error).message,
    }
  }
}

async function answer({ name, ask }: RequestMessage): Promise<Answer<RequestName>> {
  switch (name) {
    case 'query':
      return at((log) => page(log, ask.filter, ask.before, ask.limit, ask.skip, ask.bound))
    case 'totals':
      return at((log) => totals(log, ask.filter))
    case 'facets':
      return at((log) => facets(log, ask.filter))
    case 'histogram':
      return at((log) => histogram(log, ask.filter, ask.from, ask.to, ask.buckets))
    case 'story':
      return at((log) => story(log, ask.seq))
    case 'uses':
      return at((log) => usesBetween(log, ask.edges))
    case 'tryPolicy':
      return at((log) => tryPolicy(log, ask.from, ask.to, ask.clients, ask.question))
    case 'pruneBase':
      return at(({ db }) => pruneBase(db, ask.beforeWall, ask.limit))
    case 'export':
      return alone((db) => exportRows({ db, lexicon: new Lexicon(db) }, ask.filter, ask.format, ask.path, ask.bound))
    case 'verify':
      return alone((db) => verify(db, ask.chainKey, ask.head))
    case 'unused':
      return alone((db) => unused(db))
  }
}

/** One state of the log for the whole of a short question. */
function at<T>(work: (log: Log) => T): T {
  shared ??= openLog()
  shared.db.exec('BEGIN')
  try {
    return work(shared)
  } finally {
    shared.db.exec('ROLLBACK')
  }
}

function openLog(): Log {
  const db = openForReading(database)
  return { db, lexicon: new Lexicon(db) }
}

/**
 * Long work has a connection of its own: it holds on to one state of the log, while pages asked for meanwhile see the newest. It reads
 * from one end to the other, so it gains nothing by keeping much of what it has read.
 */
async function alone<T>(work: (db: DatabaseSync) => Promise<T>): Promise<T> {
  const db = openForReading(database)
  try {
    db.exec('PRAGMA cache_size = -2048; BEGIN')
    return await work(db)
  } finally {
    db.close()
  }
}
