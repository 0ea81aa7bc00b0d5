// The data folder goes away under a running host: nothing is acknowledged that the next start would not find.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openDesk } from '../support/desk.ts'
import { freshHome, startHost, type Person } from '../support/host.ts'
import { observed, timed } from './observed.ts'

const REFUSED =
  'Error: This call cannot be recorded, so it was not made: the folder of its data was moved or deleted while Countersign was running'

/** The host looks after its socket once a second, and tells when it cannot be put back. */
async function troubleOf(person: Person): Promise<string> {
  for (;;) {
    const change = person.nextEvent()
    const { trouble } = await person.ask('status')
    if (trouble !== null) return trouble
    await change
  }
}

test('a folder that was moved away is not made anew: everything is refused until it is back, and nothing is lost', async () => {
  const home = path.join(freshHome(), 'home')
  mkdirSync(home, { mode: 0o700 })
  const { client, someone, put, stop, stderr } = await openDesk({ home })
  await put({ token: 'the value' })
  const bridge = await client('cursor', { reads: 'always' })
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('the value')

  renameSync(home, `${home}-moved`)
  const { result: saw, ms } = await timed(() => bridge.call('get_secret', { name: 'token' }))
  expect(saw).toBe(REFUSED)
  expect(await bridge.call('store_secret', { name: 'new', value: 'x' })).toBe(REFUSED)
  await expect(someone.ask('secrets.store', { name: 'mine', value: 'x' })).rejects.toThrow('was moved or deleted')
  expect(await troubleOf(someone)).toContain('was moved or deleted')
  expect(existsSync(home), 'nothing was made anew').toBe(false)

  renameSync(`${home}-moved`, home)
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('the value')
  await someone.ask('secrets.store', { name: 'mine', value: 'x' })
  expect(await someone.ask('audit.verify')).toMatchObject({ state: 'ok', breaks: [] })
  expect(await stop()).toBe(0)
  expect(stderr()).toBe('')
  const next = await (await startHost({ home })).person()
  expect((await next.ask('secrets.list')).map(({ name }) => name)).toEqual(['mine', 'token'])
  expect((await next.ask('status')).alarms).toEqual([])
  observed({
    fault: 'data folder moved while the host runs',
    clientSaw: [saw],
    tookMs: ms,
    kept: 'nothing was made anew; everything was there and the log verified once the folder was back',
  })
})

test('a folder that was deleted and made again by somebody else gets no file of the running host', async () => {
  const home = path.join(freshHome(), 'home')
  mkdirSync(home, { mode: 0o700 })
  const { client, someone, put, stop } = await openDesk({ home })
  await put({ token: 'the value' })
  const bridge = await client('cursor', { reads: 'always' })
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('the value')
  rmSync(home, { recursive: true })
  mkdirSync(home, { mode: 0o700 })
  expect(await bridge.call('get_secret', { name: 'token' })).toBe(REFUSED)
  expect(await bridge.call('store_secret', { name: 'new', value: 'x' })).toBe(REFUSED)
  expect(await troubleOf(someone)).toContain('was moved or deleted')
  expect(readdirSync(home)).toEqual([])
  expect(await stop()).toBe(0)
  expect(readdirSync(home)).toEqual([])
})

test('a second host in the place of the folder is left alone by the first, also when the first one ends', async () => {
  const home = path.join(freshHome(), 'home')
  mkdirSync(home, { mode: 0o700 })
  const first = await openDesk({ home })
  await first.put({ token: 'the value' })
  renameSync(home, `${home}-moved`)
  const second = await startHost({ home })
  // The keychain knows of a vault, so the second does not take an empty folder for a beginning.
  expect(second.ready.state).toBe('damaged')
  expect(await troubleOf(first.someone)).toContain('was moved or deleted')
  const before = readdirSync(home).toSorted()
  expect(await first.stop()).toBe(0)
  expect(readdirSync(home).toSorted()).toEqual(before)
  expect(existsSync(second.ready.socket)).toBe(true)
})

test('a vault.db that was deleted under the host takes no more secrets', async () => {
  const home = freshHome()
  const { someone, put } = await openDesk({ home })
  await put({ token: 'the value' })
  renameSync(path.join(home, 'vault.db'), path.join(home, 'elsewhere'))
  await expect(someone.ask('secrets.store', { name: 'mine', value: 'x' })).rejects.toThrow('vault.db was moved or deleted while')
  renameSync(path.join(home, 'elsewhere'), path.join(home, 'vault.db'))
  await someone.ask('secrets.store', { name: 'mine', value: 'x' })
})
