// One message per line, out of chunks of bytes. What a peer sends must cost no more than its length in time and no more
// than the cap in memory: a line without end is dropped as it comes, and the line after it is served.

export type FrameFault = 'too long' | 'not utf-8'

export interface FrameReader {
  push: (chunk: Uint8Array) => void
  /** The stream is over. A last line that lacks only its line feed counts. */
  end: () => void
}

interface FrameOptions {
  /** Without the line feed. */
  maxBytes: number
  /** Never blank, and without the line feed. */
  onLine: (line: string) => void
  /** Once for each line that is dropped, as soon as that is known. */
  onFault: (fault: FrameFault) => void
}

const LINE_FEED = 0x0a
const NOT_BLANK = /[^\t\r ]/
const FIRST_BYTES = 4096
/** A buffer above this is given back after its line, so that one large message does not stay for life. */
const KEPT_BYTES = 64 * 1024

export function createFrameReader({ maxBytes, onLine, onFault }: FrameOptions): FrameReader {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  // The begun line is copied into one growing buffer: an array of pieces would cost a hundred times its bytes when they
  // come one by one, and would keep the chunks they were cut from alive.
  let begun = new Uint8Array(0)
  let length = 0
  let skipping = false

  function keep(piece: Uint8Array): void {
    const needed = length + piece.length
    if (needed > begun.length) {
      const larger = new Uint8Array(Math.min(maxBytes, Math.max(needed, begun.length * 2, FIRST_BYTES)))
      larger.set(begun.subarray(0, length))
      begun = larger
    }
    begun.set(piece, length)
    length = needed
  }

  function forget(): void {
    length = 0
    if (begun.length > KEPT_BYTES) begun = new Uint8Array(0)
  }

  function decode(bytes: Uint8Array): string | null {
    try {
      return decoder.decode(bytes)
    } catch {
      return null
    }
  }

  function deliver(bytes: Uint8Array): void {
    const line = decode(bytes)
    if (line === null) onFault('not utf-8')
    else if (NOT_BLANK.test(line)) onLine(line)
  }

  /** Takes the next piece of the current line; `whole` when a line feed follows it. */
  function take(piece: Uint8Array, whole: boolean): void {
    if (!skipping && length + piece.length > maxBytes) {
      skipping = true
      forget()
      onFault('too long')
    }
    if (skipping) {
      skipping = !whole
      return
    }
    if (!whole) {
      keep(piece)
      return
    }
    if (length === 0) {
      deliver(piece)
      return
    }
    keep(piece)
    const line = begun.subarray(0, length)
    forget()
    deliver(line)
  }

  return {
    push(chunk) {
      let start = 0
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        take(chunk.subarray(start, end), true)
        start = end + 1
      }
      if (start < chunk.length) take(chunk.subarray(start), false)
    },
    end() {
      if (length > 0) take(new Uint8Array(0), true)
      skipping = false
    },
  }
}
