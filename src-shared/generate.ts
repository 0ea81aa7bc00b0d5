// New values out of the system's randomness, every character equally likely.

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'

/** What people are asked for by the places that take a key or a password. */
export const ALPHABETS = {
  'letters and digits': LETTERS + DIGITS,
  'letters, digits and symbols': `${LETTERS}${DIGITS}!#$%&()*+,-./:;<=>?@[]^_{|}~`,
  'URL-safe': `${LETTERS}${DIGITS}-_`,
  hexadecimal: `${DIGITS}abcdef`,
  digits: DIGITS,
} as const
export type AlphabetName = keyof typeof ALPHABETS

export const SHORTEST = 4
export const LONGEST = 512

/** `random` gives so many random bytes. Bytes that would favour the first characters are thrown away. */
export function generate(length: number, alphabet: AlphabetName, random: (count: number) => Uint8Array): string {
  const characters = ALPHABETS[alphabet]
  const fair = 256 - (256 % characters.length)
  let value = ''
  while (value.length < length) {
    for (const byte of random(length - value.length)) {
      if (byte < fair) value += characters[byte % characters.length] ?? ''
    }
  }
  return value
}

/** How many bits a thief has to guess. */
export function strength(length: number, alphabet: AlphabetName): number {
  return Math.floor(length * Math.log2(ALPHABETS[alphabet].length))
}
