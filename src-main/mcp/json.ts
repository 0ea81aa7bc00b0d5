// Reading JSON that a stranger wrote: nesting is counted before anything is built from it.

export type JsonObject = Record<string, unknown>

export type Parsed = { ok: true; value: unknown } | { ok: false; fault: 'not json' | 'too deep' }

const MAX_DEPTH = 32

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function parseJson(text: string, maxDepth = MAX_DEPTH): Parsed {
  if (opensMoreThan(text, maxDepth) && deeperThan(text, maxDepth)) return { ok: false, fault: 'too deep' }
  try {
    const value: unknown = JSON.parse(text)
    return { ok: true, value }
  } catch {
    return { ok: false, fault: 'not json' }
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Whether there are more opening brackets than `max` at all, strings included. Hardly ever, and found out at a glance. */
function opensMoreThan(text: string, max: number): boolean {
  let left = max
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) if (--left < 0) return true
  }
  return false
}

/** Whether brackets outside strings nest deeper than `max`. Reads text that need not be JSON, each character once. */
function deeperThan(text: string, max: number): boolean {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = closingQuote(text, i)
        break
      case 0x5b:
      case 0x7b:
        if (++depth > max) return true
        break
      case 0x5d:
      case 0x7d:
        depth--
        break
      default:
    }
  }
  return false
}

/** Searches for quotes rather than reading on: values are long. A run of backslashes belongs to one quote, so each is seen once. */
function closingQuote(text: string, opening: number): number {
  for (let quote = text.indexOf('"', opening + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1
    while (text.charCodeAt(before) === BACKSLASH) before--
    if ((quote - before) % 2 === 1) return quote
  }
  return text.length
}
