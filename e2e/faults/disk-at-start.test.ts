// A host that starts on a disk with next to no room. Its files are sound, so nobody may be told to begin anew.

import { expect, test } from 'vitest'
import { startBridge } from '../support/bridge.ts'
import { cli } from '../support/cli.ts'
import { openDesk } from '../support/desk.ts'
import { startHost, type RunningHost } from '../support/host.ts'
import { observed, times } from './observed.ts'
import { NO_MOUNT, smallDisk } from './small-disk.ts'

const FULL = 'the disk is full'

/** The fewer are the ones that went wrong each in a way of its own. */
const LEFT = times(3, 6) === 6 ? [0, 4, 12, 24, 48, 108] : [0, 12, 48]

test.each(LEFT)('with %i KiB left it says that the disk is full, or serves; and serves as soon as there is room', async (kib) => {
  const disk = smallDisk()
  if (disk === null) return expect(NO_MOUNT).toBeTruthy()
  const first = await openDesk({ home: disk.home })
  await first.put({ token: 'the value' })
  await first.client('cursor', { reads: 'always' })
  await first.stop()
  const giveBack = disk.fill(kib * 1024)

  const started = await startHost({ home: disk.home }).catch((error: Error) => error)
  const bridge = startBridge({ home: disk.home, client: 'cursor' })
  await bridge.initialize()
  const saw = await bridge.call('get_secret', { name: 'token' })
  if (started instanceof Error) expect(started.message).toContain(FULL)
  else {
    expect(started.ready.state).not.toBe('damaged')
    if (started.ready.state !== 'open') {
      expect(saw).toBe(
        'Error: Countersign cannot open its vault, because the disk is full or cannot be written. Make room, then repeat the call.',
      )
      const { stdout } = await cli(disk.home, ['doctor'])
      expect(stdout).toContain(FULL)
      expect(stdout).not.toContain('damaged')
    } else if (saw !== 'the value') expect(saw).toContain(FULL)
  }

  giveBack()
  if (started instanceof Error) await startHost({ home: disk.home })
  await expect.poll(() => bridge.call('get_secret', { name: 'token' }), { timeout: 20_000 }).toBe('the value')
  if (!(started instanceof Error)) await wellAgain(started)
  observed({
    fault: `disk with ${kib} KiB left at the start`,
    clientSaw: [saw],
    tookMs: 0,
    kept: 'nothing was called damaged; the value was served when there was room',
  })
})

async function wellAgain(host: RunningHost): Promise<void> {
  const person = await host.person()
  expect(await person.ask('status')).toMatchObject({ state: 'open', alarms: [] })
  expect(await person.ask('audit.verify')).toMatchObject({ state: 'ok', breaks: [] })
}
