/** Everything about a secret except its value. */
export interface SecretInfo {
  name: string
  version: number
  created: number
  updated: number
  lastUsed: number | null
  storedBy: string
  tags: string[]
  /** Wall time after which the secret counts as expired. It is shown and marked, never deleted. */
  expires: number | null
  /** What we found when we last looked: changed or deleted by another program are shown, never hidden. */
  state: 'ok' | 'missing' | 'changed outside'
}

/** What storing a value under a name would do. */
export type ImportState = 'new' | 'changed' | 'same'

/** How often a secret was read in the last days, by whom. */
export interface SecretUses {
  name: string
  /** Per day, the oldest first. */
  counts: number[]
  /** Ids, most calls first. */
  clients: { client: string; calls: number }[]
}

export interface SecretVersion {
  version: number
  created: number
  storedBy: string
  current: boolean
}
