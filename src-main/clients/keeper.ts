// Keeps registrations true: an entry that vanished is put back, three times a minute at most. Then the other program wins, and the
// person is told.

import type { Clock } from '../host/ports.ts'

const MOST = 3
const SPAN_MS = 60_000

export function createKeeper(clock: Clock) {
  const restored = new Map<string, number[]>()
  const givenUp = new Map<string, 'told' | 'untold'>()
  return {
    /** Whether one more restoration is due, which is then counted. */
    mayRestore(client: string): 'yes' | 'no' | 'one too many' {
      if (givenUp.has(client)) return 'no'
      const recent = (restored.get(client) ?? []).filter((at) => clock.mono() - at < SPAN_MS)
      if (recent.length >= MOST) {
        givenUp.set(client, 'untold')
        return 'one too many'
      }
      restored.set(client, [...recent, clock.mono()])
      return 'yes'
    },
    hasGivenUp: (client: string): boolean => givenUp.has(client),
    /** Given up, and no person has said that they know. */
    untold: (): string[] => [...givenUp].filter(([, state]) => state === 'untold').map(([client]) => client),
    told: (client: string): void => void givenUp.set(client, 'told'),
    /** A person took it in hand. */
    begin(client: string): void {
      givenUp.delete(client)
      restored.delete(client)
    },
  }
}
