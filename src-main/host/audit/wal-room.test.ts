import { copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { appendMany, desk, type Desk } from './testing.ts'

const walBytes = ({ file }: Desk): number => statSync(`${file}-wal`).size

test('commits find their place made: the WAL does not grow with them', async () => {
  const here = desk()
  const audit = await here.open()
  const room = walBytes(here)
  expect(room).toBeGreaterThanOrEqual(4 << 20)
  for (let n = 0; n < 20; n++) await appendMany(audit, 1)
  expect(walBytes(here)).toBe(room)
})

test('what was committed before and after room was made is found by the next start, however the former one ended', async () => {
  let here = desk()
  let audit = await here.open()
  for (let start = 1; start <= 3; start++) {
    await appendMany(audit, 5)
    // As a kill would leave it: nothing was brought from the WAL into the database.
    const there = desk()
    for (const suffix of ['', '-wal']) copyFileSync(here.file + suffix, join(there.folder, `audit.db${suffix}`))
    there.keychain.anchor = here.keychain.anchor
    here = there
    audit = await here.open()
    expect(await audit.verify()).toMatchObject({ state: 'ok', head: 5 * start, breaks: [] })
  }
})
