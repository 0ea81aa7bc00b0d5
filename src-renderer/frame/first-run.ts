import { CLI_CLIENT_ID } from '../../src-shared/client.ts'
import { useHostData } from '../link/use-host.ts'

const CHANGES = ['changed', 'names'] as const
const ANSWERS = ['approvals'] as const
const ANY_ANSWER = { filter: { event: ['approval.ended'] }, limit: 1 }

/** Whether something is left of the first steps: no secret yet, no AI client that ever came, or no question ever answered. Null until it is known. */
export function useFirstRun(): boolean | null {
  const secrets = useHostData('secrets.list', {}, CHANGES)
  const clients = useHostData('clients.list', {}, CHANGES)
  const answers = useHostData('audit.query', ANY_ANSWER, ANSWERS)
  if (secrets.data === null || clients.data === null || answers.data === null) return null
  const wasHere = clients.data.some(({ id, lastSeen }) => id !== CLI_CLIENT_ID && lastSeen !== null)
  return secrets.data.length === 0 || !wasHere || answers.data.rows.length === 0
}
