import type { Audit } from './audit/audit.ts'
import type { Clients } from './clients.ts'

/** When each client last called, from the log: the time itself is kept in memory alone. */
export async function recallLastSeen(audit: Audit, clients: Clients): Promise<void> {
  for (const { id } of clients.list()) {
    const { rows } = await audit.query({ client: [id] }, null, 1)
    if (rows[0] !== undefined) clients.wasSeen(id, rows[0].wall)
  }
}
