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

export interface SecretVersion {
  version: number
  created: number
  storedBy: string
  current: boolean
}
