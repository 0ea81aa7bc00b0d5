import { Worker } from 'node:worker_threads'
import type { Clock } from '../ports.ts'
import { AuditError } from './errors.ts'
import type { Answer, AnswerMessage, Ask, RequestName } from './requests.ts'

const SHORT_MS = 30_000
const LONG_MS = 600_000
/** For what the worker throws away at once, which is nearly all it makes. Left to itself it takes 170 MB more, and is no quicker. */
const YOUNG_MB = 8

const TIMEOUT_MS: Record<RequestName, number> = {
  query: SHORT_MS,
  totals: SHORT_MS,
  facets: SHORT_MS,
  histogram: SHORT_MS,
  story: SHORT_MS,
  uses: SHORT_MS,
  tryPolicy: SHORT_MS,
  pruneBase: SHORT_MS,
  unused: LONG_MS,
  export: LONG_MS,
  verify: LONG_MS,
}

export type StartWorker = (...how: ConstructorParameters<typeof Worker>) => Worker

interface Waiting {
  name: RequestName
  resolve: (answer: Answer<RequestName>) => void
  reject: (error: AuditError) => void
  cancelTimeout: () => void
}

/** The worker that reads the log, seen from the host: started when first needed and again whenever it is gone. */
export class Reader {
  readonly #workerPath: string
  readonly #database: string
  readonly #clock: Clock
  readonly #startWorker: StartWorker
  #worker: Worker | null = null
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 1
  /** It has done long work since it was started. */
  #isSpent = false
  #leaving: Promise<unknown> = Promise.resolve()

  constructor(workerPath: string, database: string, clock: Clock, startWorker: StartWorker = (...how) => new Worker(...how)) {
    this.#startWorker = startWorker
    this.#workerPath = workerPath
    this.#database = database
    this.#clock = clock
  }

  ask<N extends RequestName>(name: N, ask: Ask<N>): Promise<Answer<N>> {
    const id = this.#nextId++
    const { promise, resolve, reject } = Promise.withResolvers<Answer<N>>()
    const cancelTimeout = this.#clock.after(TIMEOUT_MS[name], () => {
      // It is busy in SQLite and hears nothing: end it, the next request starts another.
      void this.#end(`reading the audit log took longer than ${TIMEOUT_MS[name] / 1000} s`)
    })
    // The worker answers a request with what `Requests` pairs with its name.
    this.#waiting.set(id, { name, resolve: (answer) => resolve(answer), reject, cancelTimeout })
    try {
      this.#worker ??= this.#start()
      this.#worker.postMessage({ id, name, ask }, [])
    } catch (cause) {
      // No room for a thread, most of all: what needs one is refused, and the next request tries again.
      this.#waiting.delete(id)
      cancelTimeout()
      reject(new AuditError('the audit log cannot be read now: there is no room for another thread', { cause }))
    }
    return promise
  }

  /** Lets go of the file, e.g. because another has taken its place. */
  async release(): Promise<void> {
    await this.#end('the audit log was opened anew meanwhile')
  }

  async close(): Promise<void> {
    await this.#end('the audit log is closed')
  }

  #start(): Worker {
    this.#isSpent = false
    const worker = this.#startWorker(this.#workerPath, {
      workerData: { database: this.#database },
      stdin: false,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    })
    worker.on('message', (message: AnswerMessage) => this.#settle(message))
    worker.on('error', (cause) => this.#lost(worker, cause))
    worker.on('exit', () => this.#lost(worker))
    return worker
  }

  #settle(message: AnswerMessage): void {
    const waiting = this.#waiting.get(message.id)
    if (!waiting) return
    this.#waiting.delete(message.id)
    waiting.cancelTimeout()
    this.#isSpent ||= TIMEOUT_MS[waiting.name] === LONG_MS
    if (this.#isSpent && this.#waiting.size === 0) this.#replace()
    if ('reason' in message) waiting.reject(new AuditError(message.reason))
    else waiting.resolve(message.answer)
  }

  /** Long work leaves more memory behind than the whole host takes otherwise. It goes with the worker, and the next one is ready. */
  #replace(): void {
    const spent = this.#worker
    try {
      this.#worker = this.#start()
    } catch {
      this.#worker = null // The next request tries again, and says why where it cannot.
    }
    this.#leaving = Promise.all([this.#leaving, spent?.terminate()])
  }

  #lost(worker: Worker, cause?: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = null
    this.#rejectAll('the reader of the audit log stopped', cause)
  }

  async #end(reason: string): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    this.#rejectAll(reason)
    await Promise.all([this.#leaving, worker?.terminate()])
  }

  #rejectAll(reason: string, cause?: unknown): void {
    for (const waiting of this.#waiting.values()) {
      waiting.cancelTimeout()
      waiting.reject(new AuditError(reason, { cause }))
    }
    this.#waiting.clear()
  }
}
