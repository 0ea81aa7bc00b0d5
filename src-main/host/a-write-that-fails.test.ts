// Databases that cannot be written, for real: another connection holds them.

import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fakeClock } from './testing/fake-clock.ts'
import { openTestHost, registered, type TestHost } from './testing/test-host.ts'

/** Holds a database against every other writer; returns what lets go of it. */
function hold(folder: string, file: 'vault.db' | 'audit.db'): () => void {
  const db = new DatabaseSync(path.join(folder, file))
  db.exec('BEGIN IMMEDIATE')
  const letGo = () => {
    if (db.isOpen) db.close()
  }
  onTestFinished(letGo)
  return letGo
}

async function withSecret(): Promise<TestHost> {
  const host = await openTestHost()
  await host.window('secrets.store', { name: 'token', value: 'the value' })
  return host
}

const NOT_MADE = 'This cannot be written, so it was not made: another program holds the file'

describe('a write of the vault that fails', () => {
  it('is told to a client as what it is, on record as failed, and not made', async () => {
    const host = await withSecret()
    const cursor = await registered(host, 'cursor')
    const call = host.call(cursor, 'store_secret', { name: 'new', value: 'x' })
    const [approval] = await host.open(1)
    const letGo = hold(host.folder, 'vault.db')
    await host.answer(approval!, 'allow')
    expect(await call).toBe(`Error: ${NOT_MADE}`)
    letGo()
    expect((await host.window('secrets.list')).map(({ name }) => name)).toEqual(['token'])
    const [row] = (await host.rows()).filter(({ tool, secret, outcome }) => tool === 'store_secret' && secret === 'new' && outcome !== null)
    expect(row).toMatchObject({ outcome: 'failed' })
  })

  it('is told to the person in the same words, whatever was to be changed', async () => {
    const host = await withSecret()
    hold(host.folder, 'vault.db')
    await expect(host.window('secrets.store', { name: 'mine', value: 'x' })).rejects.toThrow(NOT_MADE)
    await expect(host.window('secrets.remove', { name: 'token' })).rejects.toThrow(NOT_MADE)
    await expect(host.window('settings.set', { promptMinutes: 5 })).rejects.toThrow(NOT_MADE)
    await expect(host.window('clients.register', { id: 'cursor', name: 'cursor', policy: 'default' })).rejects.toThrow(NOT_MADE)
  })

  it('releases every call that waits for the answer that is to be remembered, and remembers nothing', async () => {
    const host = await withSecret()
    const cursor = await registered(host, 'cursor')
    const calls = [1, 2, 3].map(() => host.call(cursor, 'get_secret', { name: 'token' }))
    let [approval] = await host.open(1)
    while (approval?.waiting !== 3) [approval] = await host.open(1)
    const letGo = hold(host.folder, 'vault.db')
    await expect(host.answer(approval, 'allow', 'always')).rejects.toThrow(NOT_MADE)
    const sentence =
      'Error: The person allowed it, but the answer could not be carried out, so the call was not made: another program holds the file'
    expect(await Promise.all(calls)).toEqual([sentence, sentence, sentence])
    letGo()
    expect(await host.window('grants.list')).toEqual([])
    expect((await host.window('approvals.list')).open).toEqual([])
  })
})

describe('a write that was made', () => {
  it('and whose record has to wait is not called a mistake of ours', async () => {
    let letGo: (() => void) | null = null
    let folder = ''
    const host = await openTestHost(undefined, fakeClock(), onTestFinished, (name) => {
      if (name === 'effect' && folder !== '') letGo ??= hold(folder, 'audit.db')
    })
    folder = host.folder
    await expect(host.window('secrets.store', { name: 'mine', value: 'x' })).rejects.toThrow(
      'The call was made, but its outcome cannot be recorded yet: the audit database is locked by another program',
    )
    letGo!()
    expect((await host.window('secrets.list')).map(({ name }) => name)).toEqual(['mine'])
    await host.window('settings.set', { promptMinutes: 5 })
    expect((await host.rows()).find(({ tool }) => tool === 'store_secret')).toMatchObject({ outcome: 'allowed' })
  })
})
