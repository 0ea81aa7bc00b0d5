import { PERSON } from '../../../src-shared/client.ts'
import { showUntrusted } from '../../../src-shared/untrusted.ts'

/** A client as it is shown: one line, nothing hidden in it. */
export function whoText(client: string, max = 60): string {
  return client === PERSON ? 'you' : showUntrusted(client, max)
}
