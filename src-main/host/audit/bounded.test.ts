// What a client that is bound by a policy may read of the log. The names of the others begin with prod/ here, and are searched for
// in everything that comes back.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AuditFilter, AuditPage, AuditRow, Entry } from '../../../src-shared/audit.ts'
import type { Policy } from '../../../src-shared/policy.ts'
import type { Audit } from './audit.ts'
import type { Bound } from './bounded.ts'
import { call, desk } from './testing.ts'

const policy: Policy = { name: 'narrow', description: '', allow: ['dev/*'], deny: ['dev/hidden'], reads: 'always' }
const bound: Bound = { client: 'cli', policyName: 'narrow', policy }

const system = (event: string, fields: Partial<Entry> = {}) =>
  call({ kind: 'system', event, call: null, client: null, tool: null, secret: null, outcome: null, rule: null, approver: null, ...fields })
const theirs = (secret: string | null, fields: Partial<Entry> = {}) => call({ client: 'cursor', secret, rule: null, detail: {}, ...fields })

const SEEN: Entry[] = [
  theirs('dev/a'),
  theirs('dev/gone', { outcome: 'denied' }),
  system('approval.opened', { client: 'cursor', secret: 'dev/a', call: 'a' }),
  system('secret.revealed', { client: '(you)', secret: 'dev/a' }),
  theirs('prod/mine', { client: 'cli', outcome: 'denied' }),
  theirs(null, { client: 'cli', tool: 'list_secrets' }),
  system('host.started'),
  system('host.paused', { client: '(you)' }),
  system('audit.damaged', { detail: { reason: 'no anchor' } }),
]
const COUNTED: Entry[] = [
  theirs('prod/db'),
  theirs('dev/hidden'),
  theirs('devil'),
  theirs(null, { tool: 'prod/tool', outcome: 'rejected' }),
  theirs(null, { tool: 'resources/read', outcome: 'denied', detail: { kind: 'secret', name: 'prod/asked' } }),
  theirs('dev/a', { rule: 'policy other: deny {dev/a,prod/braces}', outcome: 'denied' }),
  system('approval.opened', { client: 'cursor', secret: 'prod/db', call: 'b' }),
  system('grant.made', { client: 'cursor', secret: 'prod/granted' }),
  system('secret.described', { client: '(you)', detail: { secret: 'prod/described' } }),
  system('backup.imported', { client: '(you)', detail: { added: ['prod/imported'] } }),
  system('rows.tampered', { detail: { refused: ['secret/prod/row'] } }),
  system('an event of tomorrow', { detail: { name: 'prod/tomorrow' } }),
]

async function filled(times = 1): Promise<{ audit: Audit; folder: string }> {
  const { open, folder } = desk()
  const audit = await open()
  for (let n = 0; n < times; n++) {
    for (let at = 0; at < Math.max(SEEN.length, COUNTED.length); at++) {
      for (const entry of [SEEN[at], COUNTED[at]]) if (entry !== undefined) await audit.append(entry)
    }
  }
  return { audit, folder }
}

const namesOf = (text: string) => [...new Set(text.match(/prod\/\w+|devil|dev\/hidden/g))]

describe('who is bound by a policy', () => {
  test('is shown entries about secrets it may see, its own, and those that can name none; the rest is counted', async () => {
    const { audit } = await filled()
    const page = await audit.query({}, null, 100, 0, bound)
    expect(namesOf(JSON.stringify(page))).toEqual(['prod/mine'])
    expect(page.rows.map(({ event, client, secret }) => [event, client, secret]).toReversed()).toEqual(
      SEEN.map(({ event, client, secret }) => [event, client, secret]),
    )
    expect(page.others).toBe(COUNTED.length)
    expect((await audit.query({}, null, 100)).rows).toHaveLength(SEEN.length + COUNTED.length)
    expect(await audit.query({}, null, 100)).not.toHaveProperty('others')
  })

  test('whose policy is missing or refused sees its own entries and those that can name none', async () => {
    const { audit } = await filled()
    const { rows, others } = await audit.query({}, null, 100, 0, { ...bound, policy: null })
    expect(rows.map(({ event, client }) => client ?? event).toReversed()).toEqual(['cli', 'cli', 'host.started', '(you)', 'audit.damaged'])
    expect(others).toBe(SEEN.length + COUNTED.length - rows.length)
  })

  test('gets pages full of what it may see, and each row once', async () => {
    const { audit } = await filled(30)
    const whole = (await audit.query({}, null, 1000, 0, bound)).rows
    expect(whole).toHaveLength(30 * SEEN.length)
    const found: AuditRow[] = []
    for (let before: number | null = null; ;) {
      const page: AuditPage = await audit.query({}, before, 7, 0, bound)
      if (page.before !== null) expect(page.rows).toHaveLength(7)
      found.push(...page.rows)
      before = page.before
      if (before === null) break
    }
    expect(found).toEqual(whole)
    expect((await audit.query({}, null, 5, 40)).rows).not.toEqual(whole.slice(40, 45))
    expect((await audit.query({}, null, 5, 40, bound)).rows).toEqual(whole.slice(40, 45))
    expect((await audit.query({}, null, 5, 40, { ...bound, policy: null })).rows).not.toEqual(whole.slice(40, 45))
  })

  test('learns nothing of a name by asking for it: what is counted does not depend on the secret or the words', async () => {
    const { audit } = await filled()
    const asked = async (filter: AuditFilter) => {
      const { rows, others } = await audit.query(filter, null, 100, 0, bound)
      return { rows: rows.length, others }
    }
    for (const name of ['prod/db', 'prod/nothing', 'devil']) {
      expect(await asked({ secret: [name] })).toEqual({ rows: 0, others: COUNTED.length })
      expect(await asked({ text: name })).toEqual({ rows: 0, others: COUNTED.length })
      expect(await asked({ not: { secret: [name] } })).toEqual({ rows: SEEN.length, others: COUNTED.length })
    }
    expect(await asked({ text: 'braces' })).toEqual(await asked({ text: 'nothing like it' }))
    expect(await asked({ client: ['cli'] })).toEqual({ rows: 2, others: 0 })
    expect(await asked({ client: ['cursor'] })).toEqual({ rows: 3, others: 8 })
  })

  test.each(['jsonl', 'csv'] as const)('finds in an export as %s what it may see, and how much was left out', async (format) => {
    const { audit, folder } = await filled()
    await audit.append(theirs(null, { client: 'cli', tool: 'import_backup', detail: { overwrites: ['prod/planned'] } }))
    const path = join(folder, `bound.${format}`)
    expect(await audit.exportTo({}, format, path, bound)).toEqual({ rows: SEEN.length + 1, others: COUNTED.length })
    const text = readFileSync(path, 'utf8')
    expect(namesOf(text)).toEqual(['prod/mine'])
    expect(text).toContain('import_backup')
    const whole = join(folder, `whole.${format}`)
    expect(await audit.exportTo({}, format, whole)).toEqual({ rows: SEEN.length + COUNTED.length + 1, others: 0 })
    expect(namesOf(readFileSync(whole, 'utf8'))).toContain('prod/planned')
  })
})
