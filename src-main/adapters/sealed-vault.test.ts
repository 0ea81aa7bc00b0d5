import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { KeychainError, type Keychain } from '../host/ports.ts'
import { createSealedVault, sealedVaultExists, unlockSealedVault } from './sealed-vault.ts'

const PASSPHRASE = 'correct horse battery staple'
const locked = (message: string) => new KeychainError('locked', message)
const unavailable = (message: string) => new KeychainError('unavailable', message)

let folder: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sealed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

async function create(): Promise<Keychain> {
  const vault = await createSealedVault(folder, PASSPHRASE)
  onTestFinished(() => vault.close())
  return vault
}

/** What somebody with the file and a SQLite shell may do. */
function edit(sql: string, ...values: (string | Uint8Array)[]): void {
  const db = new DatabaseSync(path.join(folder, 'sealed.db'))
  db.prepare(sql).run(...values)
  db.close()
}

function boxOf(account: string): Uint8Array {
  const db = new DatabaseSync(path.join(folder, 'sealed.db'))
  const box = db.prepare('SELECT box FROM items WHERE account = ?').get(account)?.['box']
  db.close()
  if (!(box instanceof Uint8Array)) throw new Error(`There is no item ${account}.`)
  return box
}

function withOneBitChanged(box: Uint8Array): Uint8Array {
  return box.map((byte, at) => (at === 40 ? byte ^ 1 : byte))
}

describe('a sealed vault', () => {
  test('keeps items exactly, also over locking and unlocking', async () => {
    expect(sealedVaultExists(folder)).toBe(false)
    const values = ['x', 'line\r\nline\n', `"quotes" 'and' \`ticks\``, '🔑 ключ 鍵', 'a'.repeat(2048), '🔑'.repeat(16_384)]
    const vault = await create()
    expect(vault.kind).toBe('sealed')
    expect(sealedVaultExists(folder)).toBe(true)
    await Promise.all(values.map((value, at) => vault.set(`name#${at}`, value)))
    await vault.set('name#0', 'replaced')
    expect(await vault.get('name#0')).toBe('replaced')
    expect(await vault.get('nothing')).toBeNull()
    await vault.close()
    await expect(vault.get('name#1')).rejects.toThrow(KeychainError)

    const again = await unlockSealedVault(folder, PASSPHRASE)
    onTestFinished(() => again.close())
    for (const [at, value] of values.entries()) if (at > 0) expect(await again.get(`name#${at}`)).toBe(value)
    expect(await again.delete('name#1')).toBe(true)
    expect(await again.delete('name#1')).toBe(false)
    expect(await again.get('name#1')).toBeNull()
  })

  test('stays locked for a wrong passphrase, in the same words as when its master key was tampered with', async () => {
    const vault = await create()
    await vault.set('a', 'value')
    await vault.close()
    await expect(unlockSealedVault(folder, 'correct horse battery stapl')).rejects.toThrow(locked('wrong passphrase'))
    await expect(unlockSealedVault(folder, '')).rejects.toThrow(locked('wrong passphrase'))
    edit('UPDATE header SET master = ?', randomBytes(289))
    await expect(unlockSealedVault(folder, PASSPHRASE)).rejects.toThrow(locked('wrong passphrase'))
  })

  test('is never created over another one', async () => {
    await create()
    await expect(createSealedVault(folder, 'another')).rejects.toThrow(unavailable('there is a sealed vault already'))
  })

  test('refuses a row that was changed, cut or moved to another account', async () => {
    const vault = await create()
    await vault.set('a', 'of a')
    await vault.set('b', 'of b')
    await vault.set('c', 'of c')
    edit("UPDATE items SET box = (SELECT box FROM items WHERE account = 'b') WHERE account = 'a'")
    edit("UPDATE items SET box = ? WHERE account = 'b'", withOneBitChanged(boxOf('b')))
    edit("UPDATE items SET box = x'01' WHERE account = 'c'")
    for (const account of ['a', 'b', 'c']) {
      await expect(vault.get(account)).rejects.toThrow(unavailable('an item of the sealed vault was changed or damaged'))
    }
  })

  test('leaves no value in any file, in no usual encoding', async () => {
    const vault = await create()
    const value = `sentinel-${randomBytes(24).toString('hex')}`
    await vault.set('kept', value)
    await vault.set('gone', value)
    await vault.delete('gone')
    const traces = [value, PASSPHRASE].flatMap((text) => {
      const bytes = Buffer.from(text)
      // Base64 of the middle depends on where it starts.
      const base64 = [0, 1, 2].map((shift) => bytes.subarray(shift).toString('base64').slice(0, 24))
      return [text, text.slice(9), bytes.toString('hex'), Buffer.from(text, 'utf16le').toString('latin1'), ...base64]
    })
    const look = () => {
      for (const file of readdirSync(folder)) {
        const content = readFileSync(path.join(folder, file)).toString('latin1')
        for (const trace of traces) expect(content.includes(trace)).toBe(false)
      }
    }
    look()
    await vault.close()
    look()
  })

  test('is readable by its owner alone whatever the umask', async () => {
    const before = process.umask(0)
    onTestFinished(() => void process.umask(before))
    const vault = await create()
    await vault.set('a', 'b')
    const files = readdirSync(folder)
    expect(files).toContain('sealed.db')
    for (const file of files) expect(statSync(path.join(folder, file)).mode & 0o777).toBe(0o600)
  })

  test('says so when it is damaged, newer than we are, or not there', async () => {
    await expect(unlockSealedVault(folder, PASSPHRASE)).rejects.toThrow(unavailable('there is no sealed vault'))
    const file = path.join(folder, 'sealed.db')
    writeFileSync(file, 'not a database at all '.repeat(100))
    await expect(unlockSealedVault(folder, PASSPHRASE)).rejects.toThrow(unavailable('the sealed vault is damaged'))
    rmSync(file)
    await (await create()).close()
    edit('UPDATE header SET kdf = ?', '{"kdf":"none"}')
    await expect(unlockSealedVault(folder, PASSPHRASE)).rejects.toThrow(unavailable('the sealed vault is damaged'))
    const db = new DatabaseSync(file)
    db.exec('PRAGMA user_version = 99')
    db.close()
    await expect(unlockSealedVault(folder, PASSPHRASE)).rejects.toThrow(unavailable('the sealed vault was written by a newer Countersign'))
  })

  test('holds everything that was acknowledged before a kill -9, and opens', async () => {
    await (await create()).close()
    const writer = `
      import { unlockSealedVault } from ${JSON.stringify(path.join(import.meta.dirname, 'sealed-vault.ts'))}
      const vault = await unlockSealedVault(${JSON.stringify(folder)}, ${JSON.stringify(PASSPHRASE)})
      for (let at = Number(process.argv[1]); ; at++) {
        await vault.set('item#' + at, 'value ' + at)
        process.stdout.write(at + '\\n')
      }`
    let acknowledged = -1
    for (let round = 0; round < 2; round++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', writer, String(acknowledged + 1)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const lastWanted = acknowledged + 10 + Math.floor(Math.random() * 40)
      for await (const line of createInterface(child.stdout)) {
        acknowledged = Number(line)
        if (acknowledged >= lastWanted) child.kill('SIGKILL')
      }
      if (child.signalCode === null) await once(child, 'exit')
      expect(child.signalCode).toBe('SIGKILL')
    }
    const vault = await unlockSealedVault(folder, PASSPHRASE)
    onTestFinished(() => vault.close())
    for (let at = 0; at <= acknowledged; at++) expect(await vault.get(`item#${at}`)).toBe(`value ${at}`)
  })
})
