// A real disk that is full, and one that cannot be written: nothing is done that cannot be recorded, and it goes on by itself.

import { expect, test } from 'vitest'
import { startBridge } from '../support/bridge.ts'
import { cli } from '../support/cli.ts'
import { openDesk } from '../support/desk.ts'
import { startHost } from '../support/host.ts'
import { observed, timed } from './observed.ts'
import { NO_MOUNT, smallDisk } from './small-disk.ts'

const FULL = /^Error: This call cannot be recorded, so it was not made: the disk is full$/

test('on a full disk every call is refused with that reason, and served again as soon as there is room', async ({ skip }) => {
  const disk = smallDisk()
  if (disk === null) return skip(NO_MOUNT)
  const { client, someone, put, stderr, stop, home } = await openDesk({ home: disk.home })
  await put({ token: 'the value' })
  const bridge = await client('cursor', { reads: 'always' })
  const giveBack = disk.fill()
  // What was set aside for the journal may still take some entries.
  let answered = 0
  let told = 'the value'
  for (; told === 'the value' && answered < 3000; answered++) told = await bridge.call('get_secret', { name: 'token' })
  expect(told).toMatch(FULL)
  const { result: saw, ms } = await timed(() => bridge.call('get_secret', { name: 'token' }))
  for (const [tool, args] of [
    ['list_secrets', {}],
    ['test_policy', { scope: 'default', secret_name: 'token' }],
    ['store_secret', { name: 'new', value: 'x'.repeat(3000) }],
    ['remove_secret', { name: 'token' }],
  ] as const) {
    expect(await bridge.call(tool, args), tool).toMatch(FULL)
  }
  await expect(someone.ask('secrets.store', { name: 'mine', value: 'x' })).rejects.toThrow('cannot be recorded')
  expect((await someone.ask('approvals.list')).open).toEqual([])
  const doctor = await cli(home, ['doctor'])
  expect(doctor.code).toBe(1)
  expect(doctor.stdout).toContain('✗ Disk: The disk is full')
  expect(doctor.stdout).not.toContain('All is well')

  giveBack()
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('the value')
  const store = bridge.call('store_secret', { name: 'new', value: 'x' })
  await someone.answerNext('allow')
  expect(await store).toBe("Stored secret 'new'")
  expect(await someone.ask('audit.verify')).toMatchObject({ state: 'ok', breaks: [] })
  const reads = (await someone.ask('audit.totals', { filter: { tool: ['get_secret'], outcome: ['allowed'] } })).rows
  expect(reads, 'every answer is on record').toBe(answered)
  expect(stderr()).toBe('')
  expect(await stop()).toBe(0)
  const next = await (await startHost({ home })).person()
  expect((await next.ask('secrets.list')).map(({ name }) => name)).toEqual(['new', 'token'])
  observed({
    fault: 'disk full (tmpfs)',
    clientSaw: [saw],
    tookMs: ms,
    kept: `all ${answered} answers that were given are on record, none that were refused was made, the log verifies`,
  })
})

test('on a read-only disk nobody is served in silence: it says what is the matter, and works once it can be written', async ({ skip }) => {
  const disk = smallDisk()
  if (disk === null) return skip(NO_MOUNT)
  const first = await openDesk({ home: disk.home })
  await first.put({ token: 'the value' })
  const bridge = await first.client('cursor', { reads: 'always' })
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('the value')
  await first.stop()
  disk.remount('ro')
  const { result: refusal, ms } = await timed(() => startHost({ home: disk.home }).catch((error: Error) => error))
  const late = startBridge({ home: disk.home, client: 'cursor' })
  await late.initialize()
  const saw = await late.call('get_secret', { name: 'token' })
  expect(saw).toMatch(/^Error: /)
  const sentence = `Countersign cannot write to its folder '${disk.home}': the disk is read-only.`
  expect(refusal).toMatchObject({ message: `the host left with 1: countersign: ${sentence}\n` })

  disk.remount('rw')
  await startHost({ home: disk.home })
  await expect.poll(() => late.call('get_secret', { name: 'token' }), { timeout: 20_000 }).toBe('the value')
  observed({
    fault: 'disk read-only at start',
    clientSaw: [saw],
    tookMs: ms,
    kept: 'nothing was changed; values and log were there when it could be written again',
    personSaw: sentence.replace(disk.home, '…'),
  })
})
