import { execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openKeytarKeychain } from '../../adapters/keytar-keychain.ts'
import type { Keychain } from '../ports.ts'
import { openVaultFile } from './open.ts'
import { tempFolder, testClock } from './testing.ts'
import { openVault } from './vault.ts'

const HELPER = path.resolve(import.meta.dirname, '../../adapters/keychain-helper.ts')
const STORER = new URL('./testing/storer.ts', import.meta.url)
/** Each point once and as many random moments; the crash machine (e2e/crash) kills whole hosts by the hundred. */
const KILLS = 6
const FAULTS = ['vault.pending', 'vault.item', 'vault.live']
/** Everything in our service that is no secret's value. */
const OTHERS = ['sentinel', 'key:chain', 'key:fingerprint', 'key:row', 'rows-head']

type Values = Map<string, string | null>
type Change = { name: string; value: string | null; version: number }
type Step = Change | { done: true }

interface Life {
  folder: string
  service: string
  keychain: Keychain
  /** What must be there. */
  acknowledged: Values
  /** The one step that was not acknowledged: it may have happened or not. */
  open: Change | null
}

test(
  `killed ${KILLS} times while storing and removing, the vault loses nothing, invents nothing and leaves no orphan`,
  { timeout: 120_000 },
  async () => {
    const seed = randomInt(1, 1_000_000)
    const life = await begin(`Countersign:crash-${process.pid}-${seed}`)
    const violations: string[] = []
    let steps = 0
    for (let kill = 0; kill < KILLS; kill++) {
      steps += await liveAndDie(life, seed + kill, kill % 2 === 0 ? FAULTS[(kill / 2) % FAULTS.length] : undefined)
      violations.push(...(await violationsOf(life)).map((violation) => `seed ${seed}, kill ${kill}: ${violation}`))
    }
    await life.keychain.close()
    expect(violations).toEqual([])
    expect(steps).toBeGreaterThan(KILLS)
  },
)

test('the check itself finds an orphaned item, a lost item and a value that nobody stored', async () => {
  const life = await begin(`Countersign:check-${process.pid}`)
  const { db, keys, root, close } = await openVaultFile(life)
  const vault = await openVault({ db, root, keychain: life.keychain, keys, clock: testClock() })
  await vault.store({ name: 'a', value: 'one', by: 'test', expect: null })
  await vault.close()
  await close()
  life.acknowledged.set('a', 'one')
  expect(await violationsOf(life)).toEqual([])
  await life.keychain.set('a#0123456789abcdef', 'orphan')
  expect(await violationsOf(life)).toEqual([expect.stringContaining('items')])
  await life.keychain.delete('a#0123456789abcdef')
  const stored = (await itemsOf(life.service)).find((account) => account.includes('#')) ?? ''
  await life.keychain.delete(stored)
  expect(await violationsOf(life)).toContainEqual(expect.stringContaining('is missing'))
  await life.keychain.set(stored, 'one')
  expect(await violationsOf(life)).toEqual([])
  life.acknowledged.set('a', 'something else')
  expect(await violationsOf(life)).toEqual([expect.stringContaining("'a' is not what was stored")])
  await life.keychain.close()
})

async function begin(service: string): Promise<Life> {
  const folder = tempFolder()
  const keychain = await openKeytarKeychain({ service, helperPath: HELPER }, { known: false })
  const { close } = await openVaultFile({ folder, keychain })
  await close()
  return { folder, service, keychain, acknowledged: new Map(), open: null }
}

/** Runs until the fault point, or, without one, until some random moment after its first steps. */
async function liveAndDie(life: Life, seed: number, fault: string | undefined): Promise<number> {
  const faults = fault === undefined ? [] : [fault, String(seed % 4)]
  const child = spawn(process.execPath, [STORER.pathname, life.folder, life.service, HELPER, String(seed), ...faults], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const stopAfter = 1 + (seed % 6)
  let steps = 0
  lines.on('line', (line) => {
    const step = JSON.parse(line) as Step
    if ('done' in step) {
      if (life.open !== null) life.acknowledged.set(life.open.name, life.open.value)
      life.open = null
      steps++
    } else {
      life.open = step
      if (fault === undefined && steps >= stopAfter) setTimeout(() => child.kill('SIGKILL'), (seed * 7) % 25)
    }
  })
  await Promise.all([exited, once(lines, 'close')])
  expect(child.signalCode).toBe('SIGKILL')
  return steps
}

/** Opens the vault as the next start would, and compares. What was in doubt is settled by what is found. */
async function violationsOf(life: Life): Promise<string[]> {
  const { folder, keychain, acknowledged, open } = life
  const found: string[] = []
  const { db, keys, root, close } = await openVaultFile({ folder, keychain })
  const vault = await openVault({ db, root, keychain, keys, clock: testClock() })
  if (open !== null) {
    const now = (await vault.get(open.name))?.value ?? null
    const happened = now === open.value
    if (happened) acknowledged.set(open.name, open.value)
    if (open.value !== null) {
      const effect = await vault.holds(open.name, open.version, vault.fingerprint(open.name, open.version, open.value))
      if (effect !== (happened ? 'applied' : 'not applied')) found.push(`the open step is said to be ${effect}`)
    }
    life.open = null
  }
  for (const [name, value] of acknowledged) {
    const now = (await vault.get(name))?.value ?? null
    if (now !== value) found.push(`'${name}' is not what was stored`)
  }
  for (const { name, state } of vault.list()) {
    if (!acknowledged.get(name)) found.push(`'${name}' was stored by nobody`)
    if (state !== 'ok') found.push(`'${name}' is ${state}`)
    for (const { version, current } of vault.versions(name)) if (!current) await vault.readVersion(name, version)
  }
  const rows = db.prepare("SELECT state, place, name || '#' || id AS account FROM versions").all()
  const unfinished = rows.filter(({ state }) => state !== 'live' && state !== 'former')
  if (unfinished.length > 0) found.push(`${unfinished.length} rows were not swept`)
  const expected = [...OTHERS, ...rows.filter(({ place }) => place === 'item').map(({ account }) => String(account))].toSorted()
  const items = await itemsOf(life.service)
  if (items.join() !== expected.join()) found.push(`items are ${items.join(', ')} instead of ${expected.join(', ')}`)
  await vault.close()
  await close()
  return found
}

/** Asks the keyring itself, since keytar can only be asked by name safely. */
async function itemsOf(service: string): Promise<string[]> {
  const ask = async (object: string, method: string, ...args: string[]) => {
    const call = ['call', '--session', '--dest', 'org.freedesktop.secrets', '--object-path', object, '--method', method, ...args]
    return (await promisify(execFile)('gdbus', call)).stdout
  }
  const answer = await ask('/org/freedesktop/secrets', 'org.freedesktop.Secret.Service.SearchItems', `{'service': '${service}'}`)
  const objects = answer.match(/\/org\/freedesktop\/secrets\/[\w/]+/g) ?? []
  const accounts = await Promise.all(
    objects.map(async (object) => {
      const text = await ask(object, 'org.freedesktop.DBus.Properties.Get', 'org.freedesktop.Secret.Item', 'Attributes')
      return /'account': '([^']*)'/.exec(text)?.[1] ?? text
    }),
  )
  return accounts.toSorted()
}
