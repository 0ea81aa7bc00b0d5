import { texts } from '../../src-shared/texts.ts'
import { KeychainError, type Clock, type Keychain } from './ports.ts'

const LOOK_AGAIN_MS = 5000

/**
 * The same keychain, with somebody told when it gets into trouble and when it is well again. In trouble it is looked at from time
 * to time, since nobody else may ask it anything for hours.
 */
export function watchKeychain(keychain: Keychain, clock: Clock, onTrouble: (trouble: string | null) => void): Keychain {
  let trouble: string | null = null
  let stop = () => {}
  let closed = false

  const found = (next: string | null): void => {
    if (closed) return
    stop()
    // Any item does: one that is not there is looked for as well.
    if (next !== null) stop = clock.after(LOOK_AGAIN_MS, () => void watched(() => keychain.get('audit-head')).catch(ignoreAgain))
    if (next === trouble) return
    trouble = next
    onTrouble(trouble)
  }

  const watched = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      const result = await work()
      found(null)
      return result
    } catch (error) {
      if (error instanceof KeychainError) found(error.code === 'locked' ? texts.keychainLocked : texts.keychainUnavailable(error.message))
      throw error
    }
  }

  return {
    kind: keychain.kind,
    get: (account) => watched(() => keychain.get(account)),
    set: (account, value) => watched(() => keychain.set(account, value)),
    delete: (account) => watched(() => keychain.delete(account)),
    close: () => {
      closed = true
      stop()
      return keychain.close()
    },
  }
}

/** Looking again only looks; what it found has been told. */
function ignoreAgain(_: unknown): void {}
