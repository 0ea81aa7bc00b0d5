// A keychain that keeps silent: everybody who needs it is cut off after ten seconds, and nobody else notices.

import { expect, onTestFinished, test } from 'vitest'
import { startKeyring, type TestKeyring } from '../../src-main/adapters/test-keyring.ts'
import { connectBus } from '../support/bus.ts'
import type { RunningBridge } from '../support/bridge.ts'
import { openDesk, type Desk } from '../support/desk.ts'
import { startHost } from '../support/host.ts'
import { startBridge } from '../support/bridge.ts'
import { observed, timed } from './observed.ts'

const NO_ANSWER = 'Error: The keychain is not available: no answer within 10 s; it may be waiting to be unlocked'

async function ownKeyring(): Promise<TestKeyring> {
  const keyring = await startKeyring()
  onTestFinished(keyring.stop)
  return keyring
}

/** How long calls take that need no keychain, one after the other, until told to stop. */
function measure(bridge: RunningBridge): () => Promise<number[]> {
  const took: number[] = []
  let over = false
  const done = (async () => {
    while (!over) {
      const { result, ms } = await timed(() => bridge.call('list_secrets'))
      expect(result).toBe('["token"]')
      took.push(ms)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  return async () => {
    over = true
    await done
    return took.toSorted((a, b) => a - b)
  }
}

async function suffer({ client, someone, put }: Desk, fault: string, begin: () => Promise<void>, end: () => Promise<void>): Promise<void> {
  await put({ token: 'the value' })
  const bridge = await client('cursor', { reads: 'always' })
  const other = await client('other', { reads: 'always' })
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('the value')
  await begin()
  const stop = measure(other)
  const read = timed(() => bridge.call('get_secret', { name: 'token' }))
  const store = timed(() => bridge.call('store_secret', { name: 'new', value: 'x' }))
  await someone.answerNext('allow')
  const [first, second] = await Promise.all([read, store])
  expect([first.result, second.result]).toEqual([NO_ANSWER, NO_ANSWER])
  expect(Math.max(first.ms, second.ms), 'nobody waits for a second limit').toBeLessThan(18_000)
  const others = await stop()
  const p99 = others[Math.floor(others.length * 0.99)] ?? Infinity
  // A loop that waited with the keychain would stand still for ten seconds, once. How far p99 is from its 100 ms is in the report:
  // the machine that runs this test may have other things to do.
  expect(others.at(-1)).toBeLessThan(5000)

  await end()
  await expect.poll(() => bridge.call('get_secret', { name: 'token' }), { timeout: 30_000, interval: 250 }).toBe('the value')
  const again = bridge.call('store_secret', { name: 'new', value: 'y' })
  await someone.answerNext('allow')
  expect(await again).toBe("Stored secret 'new'")
  expect((await someone.ask('secrets.list')).map(({ name, state }) => [name, state])).toEqual([
    ['new', 'ok'],
    ['token', 'ok'],
  ])
  expect(await someone.ask('audit.verify')).toMatchObject({ state: 'ok', breaks: [] })
  const failed = (await someone.rows()).filter(({ client: by, outcome }) => by === 'cursor' && outcome === 'failed')
  expect(failed.length).toBeGreaterThanOrEqual(2)
  observed({
    fault,
    clientSaw: [first.result],
    tookMs: Math.max(first.ms, second.ms),
    limitMs: 10_000,
    kept: 'the value was there again without a restart; both failures are on record; the log verifies',
    otherCalls: others.length,
    otherCallsP99Ms: Math.round(p99),
  })
}

test('a keychain daemon that is stopped is cut off after ten seconds, others are served meanwhile, and it is asked again', async () => {
  const keyring = await ownKeyring()
  const desk = await openDesk({ env: keyring.env })
  await suffer(
    desk,
    'keychain hangs (SIGSTOP)',
    async () => void process.kill(keyring.pid(), 'SIGSTOP'),
    async () => void process.kill(keyring.pid(), 'SIGCONT'),
  )
  expect(desk.stderr()).toBe('')
})

test('a secret service that never replies is cut off likewise, also by a host that starts before it', async () => {
  const keyring = await ownKeyring()
  const desk = await openDesk({ env: keyring.env })
  const silence = async () => {
    await keyring.kill()
    const bus = await connectBus('silent', keyring.env['DBUS_SESSION_BUS_ADDRESS'])
    onTestFinished(bus.close)
    await bus.own('org.freedesktop.secrets')
    return bus
  }
  let bus: Awaited<ReturnType<typeof silence>> | null = null
  const speakAgain = async () => {
    bus?.close()
    await keyring.restart()
  }
  await suffer(desk, 'secret service never replies', async () => void (bus = await silence()), speakAgain)
  await desk.stop()

  bus = await silence()
  const { result: host, ms } = await timed(() => startHost({ home: desk.home, env: keyring.env }))
  expect(host.ready.state).toBe('locked')
  const bridge = startBridge({ home: desk.home, client: 'cursor' })
  await bridge.initialize()
  const told = await bridge.call('get_secret', { name: 'token' })
  expect(told).toMatch(/^Error: The keychain is /)
  await speakAgain()
  await expect.poll(() => bridge.call('get_secret', { name: 'token' }), { timeout: 40_000, interval: 500 }).toBe('the value')
  observed({
    fault: 'secret service silent at start',
    clientSaw: [told],
    tookMs: ms,
    kept: 'opened by itself when the service spoke again',
  })
})
