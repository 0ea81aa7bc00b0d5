/** How reads of an allowed name are treated. */
export type Reads = 'always' | 'first' | 'ask' | 'never'

/** A named rule: which secret names are visible to the clients bound to it, and how reads are treated. */
export interface Policy {
  name: string
  description: string
  allow: string[]
  deny: string[]
  reads: Reads
}

/** Every client starts here. Editable like any other policy. */
export const DEFAULT_POLICY: Policy = {
  name: 'default',
  description: 'Every name; a person is asked the first time a client reads a secret.',
  allow: ['*'],
  deny: [],
  reads: 'first',
}
