// A caller whose name is, or looks like, that of another client: said to the person who is asked, in whose window the other one's name
// is not at hand.

import type { Caller } from '../../src-shared/client.ts'
import { sameAtAGlance } from '../../src-shared/lookalikes.ts'

/** `clients`: everybody who is registered. Null when it resembles nobody. */
export function nameWarning(
  { clientId, clientName }: Pick<Caller, 'clientId' | 'clientName'>,
  says: string | null,
  clients: readonly { id: string; name: string }[],
): string | null {
  const others = clients.filter(({ id }) => id !== clientId).map(({ name }) => name)
  const alike = sameAtAGlance(clientName, others)
  if (alike !== null) return `The name of this client looks like that of another, “${alike}”.`
  const claimed = says === null ? null : sameAtAGlance(says, others)
  return claimed === null ? null : `It calls itself what another client is called, “${claimed}”.`
}
