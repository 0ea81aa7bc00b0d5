import { CLIENT_ID } from '../../../src-shared/client.ts'

/** An id that can be read in a config file, from the name a person gave; with a number where it is taken. */
export function idFor(name: string, taken: readonly string[]): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
  if (plain === '' || !taken.includes(plain)) return plain
  for (let number = 2; ; number++) if (!taken.includes(`${plain}-${number}`)) return `${plain}-${number}`
}

/** What is wrong with an id, as a sentence; null when nothing is. */
export function idFault(id: string, taken: readonly string[]): string | null {
  if (!CLIENT_ID.test(id)) return 'An id has 1 to 64 lower-case letters, digits and - and starts with a letter or digit.'
  return taken.includes(id) ? 'There is a client of this id.' : null
}
