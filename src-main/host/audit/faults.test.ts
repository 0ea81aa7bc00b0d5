import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { guardFolder } from '../folder-guard.ts'
import { appendMany, call, desk } from './testing.ts'

/** Fills the file until the database can grow no more; returns what gives the space back. */
function fill(folder: string): () => void {
  const ballast = join(folder, 'ballast')
  let size = 1 << 20
  while (size >= 512) {
    try {
      writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' })
    } catch {
      size >>= 1
    }
  }
  return () => rmSync(ballast)
}

/** A disk of two megabytes, so that it can be filled and made read-only without harm. Mounting it takes root. */
function smallDisk(): { folder: string; remount: (mode: 'ro' | 'rw') => void } {
  const disk = mkdtempSync(join(tmpdir(), 'countersign-small-'))
  const folder = join(disk, 'home')
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=0700', 'countersign-test', disk])
  mkdirSync(folder, { mode: 0o700 })
  onTestFinished(() => {
    execFileSync('umount', [disk])
    rmSync(disk, { recursive: true })
  })
  return { folder, remount: (mode) => void execFileSync('mount', ['-o', `remount,${mode}`, disk]) }
}

describe('when the log cannot be written', () => {
  test('a full disk refuses entries with that reason, and recording goes on by itself when there is space again', async () => {
    const { open, folder } = desk(smallDisk().folder)
    const audit = await open()
    await appendMany(audit, 10)
    const giveBack = fill(folder)
    const refused = await Promise.allSettled(
      Array.from({ length: 300 }, (_, n) => audit.append(call({ detail: { n, pad: 'x'.repeat(500) } }))),
    )
    const written = refused.filter(({ status }) => status === 'fulfilled').length
    expect(written).toBeLessThan(300)
    for (const result of refused)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ name: 'AuditError', message: 'the disk is full' })
    giveBack()
    // The numbers that were refused are given out again: no gap shows where nothing was recorded.
    expect(await audit.append(call())).toBe(11 + written)
    expect(await audit.verify()).toMatchObject({ state: 'ok', head: 11 + written })
  })

  test('a host that starts on a full disk comes up, refuses with the reason, and records once there is space', async () => {
    const { open, folder } = desk(smallDisk().folder)
    const giveBack = fill(folder)
    const audit = await open()
    await expect(audit.append(call())).rejects.toThrow(/^the (disk|audit)/)
    giveBack()
    expect(await audit.append(call())).toBe(1)
  })

  test('a read-only disk refuses entries with that reason, from the start or later, and recovers', async () => {
    const { folder, remount } = smallDisk()
    const { open } = desk(folder)
    const audit = await open()
    await audit.append(call())
    await audit.close()
    remount('ro')
    const second = await open()
    await expect(second.append(call())).rejects.toThrow(/read-only|cannot be opened/)
    expect(second.breaks()).toEqual([])
    remount('rw')
    expect(await second.append(call())).toBe(2)
    expect((await second.verify()).state).toBe('ok')
  })

  test('a folder that is gone, or another in its place, refuses entries; once it is back the log goes on', async () => {
    const { open, folder } = desk()
    const guard = guardFolder(folder)
    onTestFinished(guard.close)
    const audit = await open({ folderTrouble: guard.trouble })
    await appendMany(audit, 5)
    renameSync(folder, `${folder}-gone`)
    await expect(audit.append(call())).rejects.toThrow('was moved or deleted while Countersign was running')
    mkdirSync(folder, { mode: 0o700 })
    await expect(audit.append(call())).rejects.toThrow('was moved or deleted while Countersign was running')
    // Fails where anything was made in it.
    rmdirSync(folder)
    renameSync(`${folder}-gone`, folder)
    expect(await audit.append(call())).toBe(6)
    expect(await audit.verify()).toMatchObject({ state: 'ok', breaks: [] })
  })

  test('a database held by another program refuses entries after a moment, and none is lost or doubled', async () => {
    const { open, file } = desk()
    const audit = await open()
    await appendMany(audit, 5)
    const other = new DatabaseSync(file)
    other.exec('BEGIN IMMEDIATE')
    await expect(audit.append(call())).rejects.toThrow('the audit database is locked by another program')
    other.exec('ROLLBACK')
    other.close()
    expect(await audit.append(call())).toBe(6)
    expect(await audit.verify()).toMatchObject({ state: 'ok', entries: 6 })
  })

  test('a file whose mode was opened up is closed again', async () => {
    const { open, file } = desk()
    await (await open()).close()
    chmodSync(file, 0o644)
    const audit = await open()
    await audit.append(call())
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('pages that were overwritten under the host end in an alarm, not in a host that refuses for ever', async () => {
    const { open, file } = desk()
    const first = await open()
    await appendMany(first, 400)
    await first.close()
    const size = statSync(file).size
    const audit = await open()
    const db = new DatabaseSync(file, { readOnly: true })
    const page = Number(db.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'projection_shape'`).get()?.['rootpage'])
    db.close()
    const handle = await openFile(file, 'r+')
    await handle.write(Buffer.alloc(4096, 0xff), 0, 4096, (page - 1) * 4096)
    await handle.close()
    expect(statSync(file).size).toBe(size)
    const results = []
    for (let n = 0; n < 3; n++) results.push(await audit.append(call()).catch((error: Error) => error.message))
    expect(results.at(-1)).toBeTypeOf('number')
    expect(audit.breaks()).toMatchObject([{ found: 'corrupt' }])
  })
})
