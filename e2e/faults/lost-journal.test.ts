// The journal of vault.db lost bytes after a kill: what it held is acknowledged and gone, so nobody is served as if nothing were.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { freshHome, startHost } from '../support/host.ts'
import { observed, times } from './observed.ts'

const FILES = ['vault.db', 'vault.db-wal']
const CUTS = times(3, 7)

test(
  'a journal of the vault that lost bytes is told at the next start, and the good one put back brings everything',
  { timeout: 60_000 + CUTS * 30_000 },
  async () => {
    const home = freshHome()
    const host = await startHost({ home })
    const person = await host.person()
    const secrets = new Map(['a', 'b', 'long'].map((name) => [name, `value of ${name} `.repeat(name === 'long' ? 400 : 1)]))
    for (const [name, value] of secrets) await person.ask('secrets.store', { name, value })
    expect(await host.stop('SIGKILL')).toBe(null)

    const good = path.join(home, 'good')
    mkdirSync(good)
    for (const file of FILES) copyFileSync(path.join(home, file), path.join(good, file))
    const putBack = () => {
      for (const file of FILES) copyFileSync(path.join(good, file), path.join(home, file))
    }
    const journal = path.join(home, 'vault.db-wal')
    const size = statSync(journal).size
    let slowestMs = 0
    for (let cut = 0; cut < CUTS; cut++) {
      putBack()
      truncateSync(journal, Math.floor((size * cut) / CUTS))
      const found = readFileSync(journal)
      const began = performance.now()
      const next = await startHost({ home })
      slowestMs = Math.max(slowestMs, performance.now() - began)
      expect(next.ready.state, `${found.length} of ${size} bytes`).toBe('damaged')
      expect(await next.stop()).toBe(0)
      expect(readFileSync(journal).equals(found), 'what was found is left as it was').toBe(true)
    }
    putBack()
    const last = await startHost({ home })
    const again = await last.person()
    for (const [name, value] of secrets) expect(await again.ask('secrets.reveal', { name, purpose: 'show' })).toEqual({ value })
    expect((await again.ask('status')).alarms).toEqual([])
    expect(readdirSync(home).filter((name) => name.startsWith('vault-damaged'))).toEqual([])
    observed({
      fault: 'journal of vault.db cut short',
      clientSaw: [],
      tookMs: slowestMs,
      limitMs: 5000,
      kept: 'nobody was served from what was left, no item went from the keychain, and the good journal brought every value back',
      cuts: CUTS,
    })
  },
)
