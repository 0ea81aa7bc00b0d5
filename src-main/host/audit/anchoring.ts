import type { Clock } from '../ports.ts'
import { anchorText, type Anchor } from './chain.ts'

export interface AnchorPort {
  read: () => Promise<string | null>
  write: (text: string) => Promise<void>
}

const IDLE_MS = 2_000
/** A log that never falls idle is anchored this often all the same. */
const AT_LATEST_MS = 10_000
const RETRY_MS = 5_000

/**
 * Keeps the head of the log in the keychain. A keychain write takes as long as a dozen calls, so it happens beside the path:
 * one at a time, and what comes meanwhile is covered by the next. A write that fails is tried again and stops nobody.
 */
export class AnchorKeeper {
  readonly #port: AnchorPort
  readonly #clock: Clock
  readonly #head: () => Anchor | null
  #written: Anchor | null
  #writing: Promise<void> | null = null
  #again = false
  #cancelTimer: (() => void) | null = null
  #dirtySince: number | null = null
  #closed = false
  readonly #reportMistake: (error: unknown) => void

  constructor(
    port: AnchorPort,
    clock: Clock,
    written: Anchor | null,
    head: () => Anchor | null,
    reportMistake: (error: unknown) => void = () => {},
  ) {
    this.#reportMistake = reportMistake
    this.#port = port
    this.#clock = clock
    this.#head = head
    this.#written = written
  }

  /** What the keychain is known to hold. */
  get written(): Anchor | null {
    return this.#written
  }

  /** Rows were committed: write when nothing more comes for a while. */
  touched(): void {
    if (this.#closed) return
    const now = this.#clock.mono()
    this.#dirtySince ??= now
    this.#schedule(Math.max(0, Math.min(IDLE_MS, this.#dirtySince + AT_LATEST_MS - now)))
  }

  soon(): void {
    if (this.#closed) return
    if (this.#writing) this.#again = true
    // A failure has scheduled the next try already, and whoever needs to know calls now().
    else this.now().catch(this.#reportMistake)
  }

  /** Resolves when the keychain holds the head of this moment, or a later one. */
  async now(): Promise<void> {
    while (this.#writing) await this.#writing.catch(() => {})
    const head = this.#head()
    if (head === null || (head.seq === this.#written?.seq && head.mac === this.#written.mac)) return
    this.#writing = this.#write(head)
    await this.#writing
  }

  /** One last write. If the keychain is gone the older anchor stays, which the log is ahead of and may be. */
  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer?.()
    await this.now().catch(this.#reportMistake)
  }

  async #write(head: Anchor): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = null
    this.#dirtySince = null
    this.#again = false
    try {
      await this.#port.write(anchorText(head))
      this.#written = head
    } catch (error) {
      if (!this.#closed) this.#schedule(RETRY_MS)
      throw error
    } finally {
      this.#writing = null
      // Not from within this write: whoever waits for it goes first.
      if (this.#again) queueMicrotask(() => this.soon())
    }
  }

  #schedule(ms: number): void {
    this.#cancelTimer?.()
    this.#cancelTimer = this.#clock.after(ms, () => {
      this.#cancelTimer = null
      this.soon()
    })
  }
}
