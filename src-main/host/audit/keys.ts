const NONE = 0xffff_ffff
const START = 1024

/** The key as a number that no other key has, or -1 if it has none. */
type NumberOf = (key: unknown) => number

/** Which key an index must have for each row. A number of four bytes wherever possible: a million strings are much to keep. */
export class ExpectedKeys {
  readonly #first: number
  readonly #numberOf: NumberOf
  #numbers = new Uint32Array(START).fill(NONE)
  readonly #others = new Map<number, unknown>()
  #count = 0

  /** Seqs have no gaps from `first` on, so what is kept here is no longer than the log. */
  constructor(first: number, numberOf: NumberOf) {
    this.#first = first
    this.#numberOf = numberOf
  }

  get count(): number {
    return this.#count
  }

  expect(seq: number, key: unknown): void {
    this.#count += 1
    const at = seq - this.#first
    const number = this.#numberOf(key)
    if (number < 0) this.#others.set(at, key)
    else this.#numbersUpTo(at)[at] = number
  }

  /** Whether this key is expected of this row; a second time it no longer is. */
  take(seq: number, key: unknown): boolean {
    const at = seq - this.#first
    const number = this.#numberOf(key)
    if (number < 0) return this.#others.get(at) === key && this.#others.delete(at)
    if (this.#numbers[at] !== number) return false
    this.#numbers[at] = NONE
    return true
  }

  #numbersUpTo(at: number): Uint32Array {
    if (at < this.#numbers.length) return this.#numbers
    const grown = new Uint32Array(at + (at >> 1)).fill(NONE)
    grown.set(this.#numbers)
    return (this.#numbers = grown)
  }
}

export function shapeNumber(shape: unknown): number {
  return typeof shape === 'number' && Number.isInteger(shape) && shape >= 0 && shape < NONE ? shape : -1
}

/** Eight hexadecimal digits, which is what the calls of this program end in, are the number they spell. */
export function callNumber(tail: unknown): number {
  if (typeof tail !== 'string' || tail.length !== 8) return -1
  let number = 0
  for (let at = 0; at < 8; at++) {
    const code = tail.charCodeAt(at)
    if (code >= ZERO && code <= ZERO + 9) number = number * 16 + code - ZERO
    else if (code >= A && code < A + 6) number = number * 16 + code - A + 10
    else return -1
  }
  return number < NONE ? number : -1
}

const ZERO = 48
const A = 97
