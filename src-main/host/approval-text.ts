// What an approval is called and how its times read.

import { randomBytes } from 'node:crypto'

/** Short enough for a person to read out; unambiguous letters only. */
export function freshId(taken: ReadonlyMap<string, unknown>): string {
  const letters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'
  for (;;) {
    const id = Array.from(randomBytes(5), (byte) => letters[byte % letters.length]).join('')
    if (!taken.has(id)) return id
  }
}

export function hourMinute(wall: number): string {
  const date = new Date(wall)
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`
}
