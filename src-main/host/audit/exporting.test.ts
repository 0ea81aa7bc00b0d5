import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { appendMany, call, desk } from './testing.ts'

/** Reads CSV as RFC 4180 describes it. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted = '', end] of text.matchAll(/"((?:[^"]|"")*)"(,|\r\n)/g)) {
    row.push(quoted.replaceAll('""', '"'))
    if (end === '\r\n') {
      rows.push(row)
      row = []
    }
  }
  return rows
}

describe('an export', () => {
  test('has every row of the filter, oldest first, in both formats', async () => {
    const { open, folder } = desk()
    const audit = await open()
    await appendMany(audit, 700, (n) => ({ client: n % 2 === 0 ? 'cursor' : 'zed', secret: `s/${n}`, detail: { n } }))
    await audit.append(call({ kind: 'intent', call: 'w', client: 'cursor', outcome: null }))
    await audit.append(call({ call: 'w', client: 'cursor', outcome: 'failed', detail: { reason: 'read-back' } }))
    const lines = join(folder, 'x.jsonl')
    expect(await audit.exportTo({ client: ['cursor'] }, 'jsonl', lines)).toEqual({ rows: 351, others: 0 })
    const rows = readFileSync(lines, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows).toHaveLength(351)
    expect(rows[1]).toMatchObject({
      seq: 3,
      time: '2026-01-15T12:00:00.000Z',
      secret: 's/2',
      peer: 'systemd › cursor › node',
      detail: { n: 2 },
    })
    expect(rows.at(-1)).toMatchObject({ seq: 701, lastSeq: 702, outcome: 'failed', detail: { reason: 'read-back' } })

    const table = join(folder, 'x.csv')
    expect(await audit.exportTo({ client: ['cursor'] }, 'csv', table)).toEqual({ rows: 351, others: 0 })
    const cells = parseCsv(readFileSync(table, 'utf8'))
    expect(cells).toHaveLength(352)
    expect(cells[0]?.slice(0, 3)).toEqual(['seq', 'time', 'event'])
    expect(cells[2]?.slice(0, 6)).toEqual(['3', '2026-01-15T12:00:00.000Z', 'call', 'cursor', 'get_secret', 's/2'])
  })

  test('as CSV survives quotes, commas and line breaks, and runs nothing in a spreadsheet', async () => {
    const { open, folder } = desk()
    const audit = await open()
    const nasty = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1', '\u200b=1', 'a,"b"\r\nc', '|calc', 'plain']
    for (const client of nasty) await audit.append(call({ client }))
    const path = join(folder, 'x.csv')
    await audit.exportTo({}, 'csv', path)
    const clients = parseCsv(readFileSync(path, 'utf8'))
      .slice(1)
      .map((row) => row[3])
    expect(clients).toEqual([...nasty.slice(0, 9).map((text) => `'${text}`), 'a,"b"\r\nc', `'|calc`, 'plain'])
  })

  test('writes a file of its owner alone, and never over another', async () => {
    const { open, folder } = desk()
    const audit = await open()
    await audit.append(call())
    const path = join(folder, 'x.csv')
    const before = process.umask(0)
    try {
      await audit.exportTo({}, 'csv', path)
    } finally {
      process.umask(before)
    }
    expect(statSync(path).mode & 0o777).toBe(0o600)
    writeFileSync(path, 'mine')
    await expect(audit.exportTo({}, 'csv', path)).rejects.toThrow('the file already exists')
    expect(readFileSync(path, 'utf8')).toBe('mine')
  })

  test('that fails half way leaves no file behind', async () => {
    const { open, folder, tamper } = desk()
    const audit = await open()
    await appendMany(audit, 20)
    tamper(`UPDATE ledger SET body = '[]' WHERE seq = 10`)
    const path = join(folder, 'x.jsonl')
    await expect(audit.exportTo({}, 'jsonl', path)).rejects.toThrow('Entry 10 of the log cannot be read.')
    expect(existsSync(path)).toBe(false)
  })
})
