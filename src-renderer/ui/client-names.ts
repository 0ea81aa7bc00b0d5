import { PERSON, PRACTICE, UNREGISTERED } from '../../src-shared/client.ts'
import { showUntrusted } from '../../src-shared/untrusted.ts'
import { useHostData } from '../link/use-host.ts'

const CHANGES = ['changed'] as const
const WORDS: Partial<Record<string, string>> = {
  [UNREGISTERED]: 'unregistered callers',
  [PERSON]: 'you',
  [PRACTICE]: 'Practice',
}

/** From an id in the log to what the person calls it, fit to be shown. One that was revoked keeps its id. */
export function useClientNames(): (id: string) => string {
  const { data } = useHostData('clients.list', {}, CHANGES)
  return (id) => WORDS[id] ?? showUntrusted(data?.find((client) => client.id === id)?.name ?? id, 30)
}
