/**
 * The one text of a JSON value: keys in code-unit order, no spaces, numbers as ECMAScript prints them (as in RFC 8785). Two
 * values have the same text only if they are the same value, so the text can stand for the value under a MAC or in a digest.
 * Anything JSON cannot carry is refused instead of being dropped, because dropping would give two values one text.
 */
export function canonical(value: unknown): string {
  switch (typeof value) {
    case 'string':
      // Well-formed since ES2019: a lone surrogate becomes an escape, so turning the text into UTF-8 loses nothing.
      return JSON.stringify(value)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('A number that is not finite has no canonical text.')
      return String(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value)
    default:
      throw new TypeError(`A ${typeof value} has no canonical text.`)
  }
}

/** Array.from visits holes as undefined, which is then refused; map would skip them. */
function canonicalArray(value: readonly unknown[]): string {
  return `[${Array.from(value, canonical).join(',')}]`
}

function canonicalObject(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError('Only plain objects have a canonical text.')
  let text = ''
  // Without a comparator, sort goes by UTF-16 code units, which no locale changes.
  for (const key of Object.keys(value).toSorted()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`
  }
  return `{${text}}`
}
