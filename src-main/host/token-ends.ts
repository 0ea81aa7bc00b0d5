// What happens when the end of a token is noticed: it goes on record, and what the client has open ends.

import type { Events } from './events.ts'
import type { Journal } from './journal.ts'
import { systemEntry } from './record.ts'

interface Parts {
  journal: Journal
  events: Events
  disconnect: (clientId: string) => void
  unattended: (work: Promise<unknown>) => void
}

export function whenTokensEnd({ journal, events, disconnect, unattended }: Parts) {
  return (client: string, at: number): void => {
    unattended(journal.append(systemEntry('token.ended', { detail: { client, at } })))
    disconnect(client)
    events.emit('changed', { what: 'clients' })
  }
}
