import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { Reader } from './reader.ts'
import { appendMany, desk, workerPath } from './testing.ts'

/** A worker that ends or hangs on the first request it is given in its folder, and works from then on. */
function clumsyWorker(folder: string, mishap: string): string {
  const path = join(folder, 'worker.ts')
  const marker = JSON.stringify(join(folder, 'stumbled'))
  writeFileSync(
    path,
    `import { existsSync, writeFileSync } from 'node:fs'
     import { parentPort } from 'node:worker_threads'
     if (existsSync(${marker})) await import(${JSON.stringify(workerPath)})
     else parentPort.on('message', () => { writeFileSync(${marker}, ''); ${mishap} })`,
  )
  return path
}

describe('the reader', () => {
  test('without room for a thread refuses with that reason, ends nothing else, and reads once there is room', async () => {
    const { open, file, clock } = desk()
    const audit = await open()
    await appendMany(audit, 3)
    let isRoom = false
    const reader = new Reader(workerPath, file, clock, (...how) => {
      if (!isRoom) throw Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' })
      return new Worker(...how)
    })
    const query = () => reader.ask('query', { filter: {}, before: null, limit: 10, skip: 0, bound: null })
    await expect(query()).rejects.toThrow('there is no room for another thread')
    isRoom = true
    expect((await query()).rows).toHaveLength(3)
    // Long work takes its thread with it; the next one cannot be had at that moment.
    const exporting = reader.ask('unused', null)
    isRoom = false
    await exporting
    await expect(query()).rejects.toThrow('there is no room for another thread')
    isRoom = true
    expect((await query()).rows).toHaveLength(3)
    await reader.close()
  })

  test('that dies fails its request with a reason and is replaced for the next', async () => {
    const { open, folder } = desk()
    const audit = await open({ workerPath: clumsyWorker(folder, 'process.exit(3)') })
    await appendMany(audit, 3)
    await expect(audit.query({}, null, 10)).rejects.toThrow('the reader of the audit log stopped')
    expect((await audit.query({}, null, 10)).rows).toHaveLength(3)
  })

  test('that throws is replaced too', async () => {
    const { open, folder } = desk()
    const audit = await open({ workerPath: clumsyWorker(folder, `throw new Error('lost its mind')`) })
    await appendMany(audit, 3)
    await expect(audit.query({}, null, 10)).rejects.toThrow('the reader of the audit log stopped')
    expect((await audit.query({}, null, 10)).rows).toHaveLength(3)
  })

  test('that hangs is cut off, while entries are written as ever', async () => {
    const { open, folder, clock } = desk()
    const audit = await open({ workerPath: clumsyWorker(folder, 'for (;;);') })
    const asked = audit.query({}, null, 10).catch((error: Error) => error.message)
    expect(await appendMany(audit, 3)).toEqual([1, 2, 3])
    await expect.poll(() => existsSync(join(folder, 'stumbled')), { timeout: 20_000 }).toBe(true)
    await clock.advance(30_000)
    expect(await asked).toBe('reading the audit log took longer than 30 s')
    expect((await audit.query({}, null, 10)).rows).toHaveLength(3)
  })

  test('serves pages while it verifies', async () => {
    const audit = await desk().open()
    for (let n = 0; n < 20; n++) await appendMany(audit, 250)
    const order: string[] = []
    const verifying = audit.verify().then(() => order.push('verify'))
    await audit.query({}, null, 10).then(() => order.push('page'))
    await verifying
    expect(order).toEqual(['page', 'verify'])
  })

  test('is another one after long work, so that nothing of it stays in memory', async () => {
    const { open, folder } = desk()
    const path = join(folder, 'worker.ts')
    const starts = join(folder, 'starts')
    const note = `import { appendFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(starts)}, '.')\n`
    writeFileSync(path, `${note}await import(${JSON.stringify(workerPath)})`)
    const started = () => readFileSync(starts, 'utf8').length
    const audit = await open({ workerPath: path })
    await appendMany(audit, 3)
    await audit.query({}, null, 10)
    await audit.query({}, null, 10)
    expect(started()).toBe(1)
    expect((await audit.verify()).state).toBe('ok')
    expect((await audit.query({}, null, 10)).rows).toHaveLength(3)
    expect(started()).toBe(2)
  })
})
