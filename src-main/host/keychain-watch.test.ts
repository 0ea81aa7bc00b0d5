import { expect, test } from 'vitest'
import { watchKeychain } from './keychain-watch.ts'
import { KeychainError, type Keychain } from './ports.ts'
import { fakeClock } from './testing/fake-clock.ts'

function setUp() {
  let fault: Error | null = null
  const told: (string | null)[] = []
  const work = async <T>(result: T): Promise<T> => {
    if (fault !== null) throw fault
    return result
  }
  const keychain: Keychain = {
    kind: 'keychain',
    get: () => work(null),
    set: () => work(undefined),
    delete: () => work(true),
    close: () => Promise.resolve(),
  }
  const clock = fakeClock()
  return {
    clock,
    told,
    watched: watchKeychain(keychain, clock, (trouble) => told.push(trouble)),
    becomes: (next: Error | null) => {
      fault = next
    },
  }
}

const LOCKED = 'The keychain is locked; unlock it and try again'

test('trouble is told once, by whatever call meets it, and its end without anybody asking', async () => {
  const { clock, told, watched, becomes } = setUp()
  await watched.get('a')
  expect(told).toEqual([])
  becomes(new KeychainError('locked', 'locked'))
  await expect(watched.set('a', 'v')).rejects.toThrow('locked')
  await expect(watched.get('a')).rejects.toThrow('locked')
  await clock.advance(20_000)
  expect(told).toEqual([LOCKED])
  becomes(new KeychainError('unavailable', 'its daemon is gone'))
  await clock.advance(5000)
  becomes(null)
  await clock.advance(5000)
  expect(told).toEqual([LOCKED, 'The keychain is not available: its daemon is gone', null])
})

test('a mistake of ours is not the keychain’s trouble', async () => {
  const { told, watched, becomes } = setUp()
  becomes(new Error('A keychain item holds 1 to 2560 bytes without NUL.'))
  await expect(watched.set('a', '')).rejects.toThrow('2560')
  expect(told).toEqual([])
})

test('a closed keychain is not looked at again', async () => {
  const { clock, told, watched, becomes } = setUp()
  becomes(new KeychainError('locked', 'locked'))
  await expect(watched.get('a')).rejects.toThrow('locked')
  await watched.close()
  becomes(null)
  await clock.advance(20_000)
  expect(told).toEqual([LOCKED])
})
