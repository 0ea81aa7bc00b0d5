// What a secret may be called and what it may hold. Anything else is refused at the door, never normalised:
// two spellings of one name must not meet behind a policy.

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@/-]{0,127}$/

export const MAX_VALUE_BYTES = 64 * 1024

/** Why `name` cannot name a secret, as the end of a sentence; null when it can. */
export function nameFault(name: string): string | null {
  if (name.length === 0) return 'must not be empty'
  if (name.length > 128) return 'must be at most 128 characters'
  if (!NAME.test(name)) return 'must start with a letter or digit and use only letters, digits and . _ @ / -'
  if (name.includes('//')) return 'must not contain //'
  if (name.split('/').some((segment) => segment === '.' || segment === '..')) return 'must not contain . or .. segments'
  return null
}

/** The same for a secret that is yet to be: some names of before are still read, and given to nobody any more. */
export function newNameFault(name: string): string | null {
  return nameFault(name) ?? (name.endsWith('/') ? 'must not end in /' : null)
}

export function isSecretName(name: string): boolean {
  return nameFault(name) === null
}

/** Why `value` cannot be kept, as the end of a sentence that does not repeat it; null when it can. */
export function valueFault(value: string): string | null {
  if (value.length === 0) return 'must not be empty'
  if (!value.isWellFormed()) return 'must be well-formed Unicode'
  if (value.includes('\0')) return 'must not contain NUL'
  if (utf8Bytes(value) > MAX_VALUE_BYTES) return 'must be at most 65536 bytes'
  return null
}

/** UTF-8 size of a well-formed string, without TextEncoder: this folder knows neither Node nor the DOM. */
export function utf8Bytes(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (unit >= 0xd800 && unit < 0xdc00) {
      bytes += 4
      i++
    } else bytes += 3
  }
  return bytes
}
