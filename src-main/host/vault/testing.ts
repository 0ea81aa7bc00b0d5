// For tests: a folder of its own, a clock that stands still, and a keychain in memory that can be told to misbehave.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { KeychainError, type Clock, type Keychain } from '../ports.ts'
import { openVaultFile, type VaultFile } from './open.ts'
import { openVault, type Vault, type VaultParts } from './vault.ts'

export function tempFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-vault-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface TestClock extends Clock {
  advance: (ms: number) => void
}

export function testClock(start = Date.UTC(2026, 0, 1)): TestClock {
  let passed = 0
  const due = new Set<{ at: number; run: () => void }>()
  return {
    now: () => start + passed,
    mono: () => passed,
    after: (ms, run) => {
      const timer = { at: passed + ms, run }
      due.add(timer)
      return () => due.delete(timer)
    },
    advance: (ms) => {
      passed += ms
      for (const timer of due) {
        if (timer.at > passed) continue
        due.delete(timer)
        timer.run()
      }
    },
  }
}

export interface MemoryKeychain extends Keychain {
  readonly items: Map<string, string>
  /** Every call fails like a keychain that is away. */
  away: boolean
  /** Goes away after so many more calls; null: it is here to stay. */
  leaveAfter: (calls: number | null) => void
  /** Says yes to a set and keeps nothing. */
  forgetful: boolean
  calls: number
  /** The account of a secret's one item. */
  accountOf: (name: string) => string
}

export function memoryKeychain(): MemoryKeychain {
  const items = new Map<string, string>()
  const keychain: MemoryKeychain = {
    kind: 'keychain',
    items,
    away: false,
    leaveAfter: (calls) => {
      left = calls ?? Infinity
    },
    forgetful: false,
    calls: 0,
    accountOf: (name) => {
      const [account, ...others] = [...items.keys()].filter((key) => key.startsWith(`${name}#`))
      if (account === undefined || others.length > 0)
        throw new Error(`'${name}' has ${account === undefined ? 'no item' : 'several items'}`)
      return account
    },
    get: async (account) => {
      answer()
      return items.get(account) ?? null
    },
    set: async (account, value) => {
      answer()
      if (!keychain.forgetful) items.set(account, value)
    },
    delete: async (account) => {
      answer()
      return items.delete(account)
    },
    close: async () => {},
  }
  let left = Infinity
  const answer = () => {
    keychain.calls++
    if (keychain.away || left-- <= 0) throw new KeychainError('unavailable', 'the daemon is gone')
  }
  return keychain
}

export interface TestVault extends VaultFile {
  vault: Vault
  folder: string
  keychain: MemoryKeychain
  clock: TestClock
  noticed: [string, string][]
  /** Closes this one and opens the same folder again. */
  again: () => Promise<TestVault>
  shut: () => Promise<void>
}

export interface TestVaultOptions extends Partial<Pick<VaultParts, 'faultPoint'>> {
  folder?: string
  keychain?: MemoryKeychain
  clock?: TestClock
}

export async function testVault({
  folder = tempFolder(),
  keychain = memoryKeychain(),
  clock = testClock(),
  faultPoint,
}: TestVaultOptions = {}): Promise<TestVault> {
  const noticed: [string, string][] = []
  const file = await openVaultFile({ folder, keychain })
  const { db, keys, root } = file
  const vault = await openVault({
    db,
    root,
    keychain,
    keys,
    clock,
    ...(faultPoint && { faultPoint }),
    onNoticed: (name, state) => noticed.push([name, state]),
  })
  let open = true
  const shut = async () => {
    if (!open) return
    open = false
    await vault.close()
    await file.close()
  }
  onTestFinished(shut)
  const again = async () => {
    await shut()
    return testVault({ folder, keychain, clock })
  }
  return { ...file, vault, folder, keychain, clock, noticed, again, shut }
}
