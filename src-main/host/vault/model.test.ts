import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeychainError } from '../ports.ts'
import { testVault, type TestVault } from './testing.ts'
import { VaultError } from './vault.ts'

// The vault against a few lines that say what it should be: the same steps, in any order, with a keychain that leaves at any call.

interface Secret {
  version: number
  /** Version → value, the current one included unless it is gone. */
  values: Map<number, string>
}

type Step =
  | { do: 'store'; name: string; long: boolean }
  | { do: 'remove' | 'forget' | 'lose' | 'reopen'; name: string }
  | { do: 'restore'; name: string; back: number }

const RUNS = 150
const name = fc.constantFrom('a', 'b')
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('store' as const), name, long: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('remove' as const, 'forget' as const, 'lose' as const, 'reopen' as const), name }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restore' as const), name, back: fc.nat(3) }) },
)
/** After how many more keychain calls it goes away for the rest of the step; null: it stays. */
const plan = fc.array(fc.tuple(step, fc.option(fc.nat(4), { freq: 3 })), { minLength: 1, maxLength: 25 })

test('whatever is done in whatever order, the vault holds what it should', { timeout: 120_000 }, async () => {
  let runs = 0
  await fc.assert(
    fc.asyncProperty(plan, async (steps) => {
      let t = await testVault()
      const secrets = new Map<string, Secret>()
      const counters = new Map<string, number>()
      for (const [index, [one, leaves]] of steps.entries()) {
        const value = `value ${index} ${'long if so '.repeat('long' in one && one.long ? 300 : 0)}`
        if (one.do === 'reopen') t = await t.again()
        else if (one.do === 'lose') lose(t, secrets.get(one.name), one.name)
        else if (await succeeds(t, one, value, leaves)) advance(secrets, counters, one, value)
        await expectSame(t, secrets, counters)
      }
      t = await t.again()
      await expectSame(t, secrets, counters)
      expectNoOrphans(t)
      await t.shut()
      runs++
    }),
    { numRuns: RUNS },
  )
  expect(runs).toBe(RUNS)
})

async function succeeds({ vault, keychain }: TestVault, one: Step, value: string, leaves: number | null): Promise<boolean> {
  keychain.leaveAfter(leaves)
  try {
    const info = vault.info(one.name)
    if (one.do === 'store') await vault.store({ name: one.name, value, by: 'me', expect: info?.version ?? null })
    if (one.do === 'remove') return await vault.remove(one.name, null)
    if (one.do === 'forget') await vault.forget(one.name)
    if (one.do === 'restore') {
      await vault.restore(one.name, (info?.version ?? 0) - one.back, 'me')
      return one.back > 0
    }
    return true
  } catch (error) {
    if (error instanceof KeychainError || error instanceof VaultError) return false
    throw error
  } finally {
    keychain.leaveAfter(null)
  }
}

function advance(secrets: Map<string, Secret>, counters: Map<string, number>, one: Step, value: string): void {
  const secret = secrets.get(one.name)
  if (one.do === 'remove') secrets.delete(one.name)
  if (one.do === 'forget' && secret) secret.values = new Map([...secret.values].filter(([version]) => version === secret.version))
  if (one.do !== 'store' && one.do !== 'restore') return
  const version = (counters.get(one.name) ?? 0) + 1
  const now = one.do === 'store' ? value : (secret?.values.get(secret.version - one.back) ?? '')
  counters.set(one.name, version)
  secrets.set(one.name, { version, values: new Map(secret?.values).set(version, now) })
}

/** Another program deletes the item; a long value has none and stays. */
function lose({ keychain }: TestVault, secret: Secret | undefined, lost: string): void {
  const accounts = [...keychain.items.keys()].filter((account) => account.startsWith(`${lost}#`))
  for (const account of accounts) {
    if (secret && keychain.items.get(account) === secret.values.get(secret.version)) secret.values.delete(secret.version)
    keychain.items.delete(account)
  }
}

async function expectSame({ vault }: TestVault, secrets: Map<string, Secret>, counters: Map<string, number>): Promise<void> {
  expect(vault.list().map((info) => info.name)).toEqual([...secrets.keys()].toSorted())
  for (const [known, counter] of counters) expect(vault.nextVersion(known)).toBe(counter + 1)
  for (const [known, { version, values }] of secrets) {
    expect(vault.info(known)?.version).toBe(version)
    expect((await vault.get(known))?.value).toBe(values.get(version))
    const readable = vault.versions(known).filter(({ current }) => !current || values.has(version))
    expect(new Set(readable.map((one) => one.version))).toEqual(new Set(values.keys()))
    for (const one of readable) expect(await vault.readVersion(known, one.version)).toBe(values.get(one.version))
  }
}

function expectNoOrphans({ db, keychain }: TestVault): void {
  const rows = db.prepare("SELECT name || '#' || id AS account FROM versions WHERE place = 'item'").all()
  const accounts = new Set(rows.map(({ account }) => String(account)))
  expect([...keychain.items.keys()].filter((account) => account.includes('#') && !accounts.has(account))).toEqual([])
  expect(db.prepare("SELECT count(*) AS n FROM versions WHERE state IN ('pending', 'doomed')").get()).toEqual({ n: 0 })
}
