// kill -9 at each named point of a write, and at random instants: whatever was acknowledged is there, nothing else is, and the log
// says so.

import { describe, expect, it } from 'vitest'
import { violations, type Acknowledged } from './support/invariants.ts'
import { startBridge } from './support/bridge.ts'
import { freshHome, startHost } from './support/host.ts'

const POINTS = ['intent', 'vault.pending', 'vault.item', 'vault.live', 'effect', 'outcome', 'answer'] as const
const INTERRUPTED = /Error: Countersign stopped before the call ended/

async function prepared(): Promise<{ home: string; acknowledged: Acknowledged[] }> {
  const home = freshHome()
  const host = await startHost({ home })
  const person = await host.person()
  await person.ask('clients.register', { id: 'cursor', name: 'Cursor', policy: 'default' })
  await person.ask('secrets.store', { name: 'kept', value: 'before' })
  await host.stop()
  return { home, acknowledged: [{ secret: 'kept', value: 'before' }] }
}

async function afterKill(home: string, acknowledged: Acknowledged[]): Promise<string[]> {
  const host = await startHost({ home })
  const person = await host.person()
  const found = await violations(person, acknowledged)
  await host.stop()
  return found
}

describe('a write killed', () => {
  for (const point of POINTS) {
    it(`after '${point}' leaves vault and log in agreement`, { timeout: 60_000 }, async () => {
      const { home, acknowledged } = await prepared()
      const host = await startHost({ home, env: { COUNTERSIGN_FAULT_POINT: point } })
      const person = await host.person()
      const bridge = startBridge({ home, client: 'cursor', env: { ...process.env, COUNTERSIGN_HOME: home, COUNTERSIGN_NO_START: '1' } })
      await bridge.initialize()
      const call = bridge.call('store_secret', { name: 'kept', value: 'after', force: true })
      await Promise.all([person.answerNext('allow').catch(() => null), call])
      expect(await call).toMatch(INTERRUPTED)
      // Not acknowledged, so either value is right; the log must know which.
      expect(
        await afterKill(
          home,
          acknowledged.filter(({ secret }) => secret !== 'kept'),
        ),
      ).toEqual([])
    })
  }

  it('while removing leaves vault and log in agreement', { timeout: 60_000 }, async () => {
    for (const point of ['intent', 'effect', 'outcome'] as const) {
      const { home } = await prepared()
      const host = await startHost({ home, env: { COUNTERSIGN_FAULT_POINT: point } })
      const person = await host.person()
      const bridge = startBridge({ home, client: 'cursor', env: { ...process.env, COUNTERSIGN_HOME: home, COUNTERSIGN_NO_START: '1' } })
      await bridge.initialize()
      const call = bridge.call('remove_secret', { name: 'kept' })
      await person.answerNext('allow').catch(() => null)
      expect(await call).toMatch(INTERRUPTED)
      expect(await afterKill(home, [])).toEqual([])
    }
  })
})

describe('a host killed at random', () => {
  it('loses nothing acknowledged and does nothing twice', { timeout: 240_000 }, async () => {
    const { home, acknowledged } = await prepared()
    for (let round = 0; round < 12; round++) {
      const host = await startHost({ home })
      const person = await host.person()
      const bridge = startBridge({ home, client: 'cursor', env: { ...process.env, COUNTERSIGN_HOME: home, COUNTERSIGN_NO_START: '1' } })
      await bridge.initialize()
      let alive = true
      const approving = (async () => {
        while (alive) await person.answerNext('allow').catch(() => (alive = false))
      })()
      const kill = setTimeout(() => host.process.kill('SIGKILL'), 40 + Math.random() * 400)
      for (let n = 0; alive && n < 50; n++) {
        const write = { secret: `s${n % 3}`, value: n % 4 === 3 ? null : `round ${round} write ${n}` }
        const text = await (write.value === null
          ? bridge.call('remove_secret', { name: write.secret })
          : bridge.call('store_secret', { name: write.secret, value: write.value, force: true }))
        if (/^(Stored|Removed|Not found)/.test(text)) acknowledged.push(write)
        else {
          // Unacknowledged: its secret may be either way now, so only what follows counts for it.
          for (let i = acknowledged.length; i-- > 0;) if (acknowledged[i]?.secret === write.secret) acknowledged.splice(i, 1)
          break
        }
      }
      clearTimeout(kill)
      await host.stop('SIGKILL')
      await approving
      bridge.process.kill('SIGKILL')
      expect(await afterKill(home, acknowledged), `round ${round}`).toEqual([])
    }
  })
})
