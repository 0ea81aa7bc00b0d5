import { describe, expect, test } from 'vitest'
import { keychainHelp } from './keychain-help.ts'
import { texts } from './texts.ts'

describe('what helps a keychain', () => {
  test('that is locked is to unlock it', () => {
    expect(keychainHelp('linux', texts.keychainLocked)).toMatch(/^Unlock the login keyring/)
    expect(keychainHelp('mac', texts.keychainLocked)).toMatch(/unlock the login keychain/)
    expect(keychainHelp('windows', texts.keychainLocked)).toMatch(/in again/)
    const hangs = texts.keychainUnavailable('no answer within 10 s; it may be waiting to be unlocked')
    expect(keychainHelp('linux', hangs)).toMatch(/^Unlock/)
  })

  test('that is not there is to start it, or to install what it needs', () => {
    expect(keychainHelp('linux', texts.keychainUnavailable('no keyring service is running'))).toMatch(/^Start a keyring service/)
    expect(keychainHelp('linux', texts.keychainUnavailable('libsecret is not installed'))).toMatch(/libsecret-1-0/)
    expect(keychainHelp('linux', texts.keychainUnavailable('keytar is not installed'))).toMatch(/npm ci/)
  })
})
