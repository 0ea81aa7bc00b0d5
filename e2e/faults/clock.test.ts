// The wall clock of a real host is set forward and back under it.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openDesk } from '../support/desk.ts'
import { freshHome } from '../support/host.ts'
import { observed, timed } from './observed.ts'

const DAY = 86_400

/** Null where nothing compiles C. */
function clockShim(folder: string): string | null {
  const library = path.join(folder, 'clock-jump.so')
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, path.join(import.meta.dirname, 'clock-jump.c'), '-ldl'], {
      stdio: 'ignore',
    })
  } catch {
    return null
  }
  return library
}

test('jumps of the clock end no grant, prolong none, mix up no order, and the entry after a step back says so', async ({ skip }) => {
  const folder = freshHome()
  const library = clockShim(folder)
  if (library === null) return skip('there is no C compiler here, so no clock could be moved')
  const file = path.join(folder, 'jump')
  const jump = (seconds: number) => writeFileSync(file, `${seconds}`.padEnd(20))
  jump(0)
  const { client, someone, put } = await openDesk({ env: { LD_PRELOAD: library, CLOCK_JUMP: file } })
  await put({ token: 'the value' })
  const bridge = await client('cursor', { reads: 'first' })
  // The first allow makes this program the one we know; only then may an answer be remembered.
  for (const remember of ['once', '15m'] as const) {
    const read = bridge.call('get_secret', { name: 'token' })
    const [approval] = await someone.waiting()
    if (approval === undefined) throw new Error('nobody was asked')
    await someone.answer(approval, 'allow', remember)
    expect(await read).toBe('the value')
  }
  const saw: string[] = []
  const { ms } = await timed(async () => {
    for (const seconds of [DAY, -DAY, 0, 30 * DAY, -365 * DAY]) {
      jump(seconds)
      // Remembered for fifteen minutes of real time, of which hardly one has passed.
      saw.push(await bridge.call('get_secret', { name: 'token' }))
    }
  })
  expect(saw).toEqual(Array.from({ length: 5 }, () => 'the value'))
  const rows = (await someone.rows()).filter(({ client: by, event }) => by === 'cursor' && event === 'call').toReversed()
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map(({ seq }) => seq).toSorted((a, b) => a - b))
  const entries = (await Promise.all(rows.map(({ seq }) => someone.ask('audit.story', { seq })))).map((story) => story.at(-1))
  expect(entries.slice(-5).map((entry) => entry?.clockBack)).toEqual([false, true, false, false, true])
  const wall = (at: number) => Number(entries.at(at)?.wall)
  expect(wall(-5) - wall(-4), 'the clock did jump').toBeGreaterThan(1.9 * DAY * 1000)
  expect(await someone.ask('audit.verify')).toMatchObject({ state: 'ok', breaks: [] })
  expect(await someone.ask('grants.list')).toHaveLength(1)
  observed({
    fault: 'clock jumps (a day on, a day back, a month on, a year back)',
    clientSaw: [...new Set(saw)],
    tookMs: ms / saw.length,
    kept: 'the grant held, the order is that of the entries, both steps back are flagged, the log verifies',
  })
})
