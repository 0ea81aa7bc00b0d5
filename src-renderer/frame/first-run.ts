import { CLI_CLIENT_ID } from '../../src-shared/client.ts'
import { useHostData } from '../link/use-host.ts'

const CHANGES = ['changed', 'names'] as const

/** Whether something is left of the first steps: no secret yet, or no AI client that ever came. Null until it is known. */
export function useFirstRun(): boolean | null {
  const secrets = useHostData('secrets.list', {}, CHANGES)
  const clients = useHostData('clients.list', {}, CHANGES)
  if (secrets.data === null || clients.data === null) return null
  return secrets.data.length === 0 || !clients.data.some(({ id, lastSeen }) => id !== CLI_CLIENT_ID && lastSeen !== null)
}
