import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openKeyFiles } from '../adapters/key-files.ts'
import { openKeytarKeychain } from '../adapters/keytar-keychain.ts'
import { acquireLock } from '../adapters/lock.ts'
import { connectHost } from '../link/connect.ts'
import { createHost } from './host.ts'
import { KeychainError } from './ports.ts'
import { fakeClock } from './testing/fake-clock.ts'

const source = (file: string) => path.join(import.meta.dirname, '..', file)

/** A host whose keychain is locked until `unlock`. */
async function lockedHost() {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-host-'))
  const clock = fakeClock()
  let locked = true
  const unused = (): never => {
    throw new Error('this test has no sealed vault')
  }
  const socketPath = path.join(folder, 'run', 'host.sock')
  const host = await createHost(
    {
      clock,
      openKeychain: (known) => {
        if (locked) throw new KeychainError('locked', 'it is locked')
        const service = `Countersign:test-${path.basename(folder)}`
        return openKeytarKeychain({ service, helperPath: source('adapters/keychain-helper.ts') }, { known })
      },
      sealed: { exists: () => false, create: unused, unlock: unused },
      keyFiles: openKeyFiles(folder),
      lock: () => acquireLock(folder),
      inspect: async () => ({ steps: [], proven: false, user: 'own' }),
      show: () => {},
      reportBug: (error) => {
        throw error
      },
    },
    { folder, socketPath, version: '0.0.0', auditWorkerPath: source('host/audit/worker.ts') },
  )
  if (host === null) throw new Error('another host has the folder')
  onTestFinished(async () => {
    await host.close('test')
    rmSync(folder, { recursive: true, force: true })
  })
  const window = { caller: null, signal: new AbortController().signal, waiting: () => {} }
  return {
    socketPath,
    host,
    unlock: async () => {
      locked = false
      await clock.advance(3000)
      await expect.poll(() => host.status().state, { timeout: 10_000 }).toBe('open')
    },
    rows: async () => {
      const { rows } = (await host.dispatch('window', 'audit.query', { limit: 1000 }, window)) as { rows: { seq: number; event: string }[] }
      return Promise.all(
        rows.map(async ({ seq, event }) => ({ event, story: await host.dispatch('window', 'audit.story', { seq }, window) })),
      )
    },
  }
}

test('attempts to connect while the keychain is locked are on record as such, and not as calls', async () => {
  const { socketPath, unlock, rows } = await lockedHost()
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(connectHost({ socketPath, kind: 'bridge', timeoutMs: 5000, client: null })).rejects.toMatchObject({ code: 'locked' })
  }
  await unlock()
  const refused = (await rows()).filter(({ event }) => event.includes('refused'))
  expect(refused).toMatchObject([{ event: 'connections.refused while locked', story: [{ detail: { count: 3 } }] }])
})
