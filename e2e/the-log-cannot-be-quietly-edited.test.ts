// The seven attacks on the log without its key, each found by `audit verify` from the command line; and rows that decide, edited by
// hand.

import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { startBridge } from './support/bridge.ts'
import { cli } from './support/cli.ts'
import { freshHome, startHost } from './support/host.ts'
import { writeFigures } from './support/report.ts'

const FILES = ['audit.db', 'audit.db-wal', 'audit.db-shm']

function edit(home: string, file: 'audit.db' | 'vault.db', sql: string): number {
  const db = new DatabaseSync(path.join(home, file))
  const { changes } = db.prepare(sql).run()
  db.close()
  return Number(changes)
}

/** A host with some history, stopped: its head is anchored in the keychain. */
async function history(): Promise<string> {
  const home = freshHome()
  const host = await startHost({ home })
  const person = await host.person()
  for (const name of ['a', 'b', 'c']) await person.ask('secrets.store', { name, value: 'v' })
  await host.stop()
  return home
}

async function verify(home: string): Promise<{ code: number; text: string; alarms: number }> {
  const host = await startHost({ home })
  const person = await host.person()
  const { code, stdout, stderr } = await cli(home, ['audit', 'verify'])
  const { alarms } = await person.ask('status')
  await host.stop()
  return { code, text: stdout + stderr, alarms: alarms.length }
}

describe('the log is untouched and', () => {
  it('verifies', async () => {
    expect(await verify(await history())).toMatchObject({ code: 0, alarms: 0 })
  })
})

describe('without the key', () => {
  const attacks: { attack: string; found: boolean }[] = []
  afterEach(({ task }) => void attacks.push({ attack: task.name, found: task.result?.state === 'pass' }))
  afterAll(() => writeFigures('tamper', { attacks }))

  it('an edited row is found, and named', async () => {
    const home = await history()
    expect(edit(home, 'audit.db', 'UPDATE ledger SET body = (SELECT body FROM ledger WHERE seq = 2) WHERE seq = 4')).toBe(1)
    expect(await verify(home)).toMatchObject({ code: 1, text: expect.stringContaining('4') as string })
  })

  it('a deleted row in the middle is found', async () => {
    const home = await history()
    expect(edit(home, 'audit.db', 'DELETE FROM ledger WHERE seq = 3')).toBe(1)
    expect((await verify(home)).code).toBe(1)
  })

  it('two swapped rows are found', async () => {
    const home = await history()
    edit(home, 'audit.db', 'UPDATE ledger SET seq = -3 WHERE seq = 3')
    edit(home, 'audit.db', 'UPDATE ledger SET seq = 3 WHERE seq = 4')
    edit(home, 'audit.db', 'UPDATE ledger SET seq = 4 WHERE seq = -3')
    expect((await verify(home)).code).toBe(1)
  })

  it('a truncated tail is found, and is an alarm', async () => {
    const home = await history()
    expect(edit(home, 'audit.db', 'DELETE FROM ledger WHERE seq > (SELECT max(seq) - 2 FROM ledger)')).toBe(2)
    const { code, text, alarms } = await verify(home)
    expect({ code, alarms }).toEqual({ code: 8, alarms: 1 })
    const [, expected, found] = /expected to reach entry (\d+), and ended at entry (\d+)/.exec(text) ?? []
    expect(Number(expected) - Number(found)).toBe(2)
  })

  it('a roll-back to an old copy is found, and is an alarm', async () => {
    const home = await history()
    const copy = freshHome()
    for (const file of FILES.slice(0, 1)) cpSync(path.join(home, file), path.join(copy, file))
    const host = await startHost({ home })
    await (await host.person()).ask('secrets.store', { name: 'later', value: 'v' })
    await host.stop()
    for (const file of FILES) rmSync(path.join(home, file), { force: true })
    cpSync(path.join(copy, 'audit.db'), path.join(home, 'audit.db'))
    expect(await verify(home)).toMatchObject({ code: 8, alarms: 1 })
  })

  it('another log in its place is found, and is an alarm', async () => {
    const [home, other] = [await history(), await history()]
    for (const file of FILES) rmSync(path.join(home, file), { force: true })
    cpSync(path.join(other, 'audit.db'), path.join(home, 'audit.db'))
    expect(await verify(home)).toMatchObject({ code: 1, alarms: 1 })
  })

  it('a deleted log is found, is an alarm, and is never silently begun anew', async () => {
    const home = await history()
    for (const file of FILES) rmSync(path.join(home, file), { force: true })
    expect(await verify(home)).toMatchObject({ code: 8, alarms: 1 })
    // Still so after another start; only a person ends it.
    expect(await verify(home)).toMatchObject({ code: 8, alarms: 1 })
    const host = await startHost({ home })
    const person = await host.person()
    const [alarm] = (await person.ask('status')).alarms
    await person.ask('alarms.acknowledge', { id: alarm!.id })
    expect((await cli(home, ['audit', 'verify'])).code).toBe(0)
  })

  it('a log truncated under a running host is found too', async () => {
    const host = await startHost()
    const person = await host.person()
    for (const name of ['a', 'b']) await person.ask('secrets.store', { name, value: 'v' })
    edit(host.home, 'audit.db', 'DELETE FROM ledger WHERE seq = (SELECT max(seq) FROM ledger)')
    expect((await cli(host.home, ['audit', 'verify'])).code).not.toBe(0)
  })
})

describe('a row that decides, edited by hand,', () => {
  it('(grant) is refused and asks again', async () => {
    const home = freshHome()
    const first = await startHost({ home })
    const setup = await first.person()
    await setup.ask('clients.register', { id: 'cursor', name: 'Cursor', policy: 'default' })
    for (const name of ['mild', 'wild']) await setup.ask('secrets.store', { name, value: 'v' })
    const reader = startBridge({ home, client: 'cursor' })
    await reader.initialize()
    // The first allow makes this program the one we know; only then may an answer be remembered.
    for (const remember of ['once', 'always'] as const) {
      const read = reader.call('get_secret', { name: 'mild' })
      const [approval] = await setup.waiting()
      await setup.answer(approval!, 'allow', remember)
      expect(await read).toBe('v')
    }
    expect(await reader.call('get_secret', { name: 'mild' })).toBe('v')
    await first.stop()
    expect(edit(home, 'vault.db', `UPDATE rows SET body = replace(body, '"mild"', '"wild"') WHERE kind = 'grant'`)).toBe(1)

    const host = await startHost({ home })
    const person = await host.person()
    const bridge = startBridge({ home, client: 'cursor' })
    await bridge.initialize()
    const read = bridge.call('get_secret', { name: 'wild' })
    const [approval] = await person.waiting()
    await person.answer(approval!, 'deny')
    expect(await read).toBe('Error: Denied by the person')
    expect((await person.ask('status')).alarms).toMatchObject([{ id: 'rows' }])
  })

  const cases = {
    policy: `UPDATE rows SET body = replace(body, '"reads":"first"', '"reads":"always"') WHERE kind = 'policy'`,
    client: `UPDATE rows SET body = replace(body, '"policy":"narrow"', '"policy":"default"') WHERE kind = 'client' AND id = 'cursor'`,
    'removed policy': `DELETE FROM rows WHERE kind = 'policy' AND id = 'narrow'`,
  }
  for (const [what, sql] of Object.entries(cases)) {
    it(`(${what}) is refused, shown and recorded, and lets nothing more through`, async () => {
      const home = freshHome()
      const first = await startHost({ home })
      const setup = await first.person()
      await setup.ask('policies.save', { name: 'narrow', description: '', allow: ['dev/*'], deny: [], reads: 'always' })
      await setup.ask('clients.register', { id: 'cursor', name: 'Cursor', policy: 'narrow' })
      await setup.ask('secrets.store', { name: 'prod/key', value: 'v' })
      await first.stop()
      expect(edit(home, 'vault.db', sql)).toBeGreaterThan(0)

      const host = await startHost({ home })
      const person = await host.person()
      const bridge = startBridge({ home, client: 'cursor' })
      await bridge.initialize()
      expect(await bridge.call('get_secret', { name: 'prod/key' })).toMatch(/^Error: /)
      expect((await person.ask('approvals.list')).open).toEqual([])
      expect((await person.ask('status')).alarms).toMatchObject([{ id: 'rows' }])
      expect((await person.rows()).map(({ event }) => event)).toContain('rows.tampered')
    })
  }
})
