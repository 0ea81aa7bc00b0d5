// The audit methods of the contract: looking into the log, taking a copy of it, and checking it.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { CLI_CLIENT_ID, PERSON } from '../../src-shared/client.ts'
import type { Policy } from '../../src-shared/policy.ts'
import type { Access } from '../../src-shared/rpc.ts'
import { AuditError } from './audit/audit.ts'
import type { Bound } from './audit/bounded.ts'
import type { Core } from './core.ts'
import { Refusal } from './errors.ts'
import { systemEntry } from './record.ts'
import type { Api } from './rpc.ts'

export function createAuditApi(core: () => Core) {
  /** Only windows see all of the log, and whose policy allows every name there is. */
  const boundOf = (access: Access): Bound | null => {
    if (access === 'window') return null
    const policyName = core().clients.policyOf(CLI_CLIENT_ID)
    const policy = core().policies.get(policyName)
    return policy !== null && allowsEveryName(policy) ? null : { client: CLI_CLIENT_ID, policyName, policy }
  }

  return {
    'audit.query': ({ filter, before, limit, skip }, { access }) => core().audit.query(filter, before, limit, skip, boundOf(access)),
    'audit.totals': ({ filter }) => core().audit.totals(filter),
    'audit.facets': ({ filter }) => core().audit.facets(filter),
    'audit.histogram': ({ filter, from, to, buckets }) => core().audit.histogram(filter, from, to, buckets),
    'audit.story': ({ seq }) => core().audit.story(seq),
    'audit.export': async ({ filter, format, path: asked }, { access }) => {
      const file = asked === undefined ? fileFor(format, core().now()) : fullPath(asked)
      const client = access === 'cli' ? CLI_CLIENT_ID : PERSON
      await core().journal.append(systemEntry('audit.exported', { client, detail: { format, path: file } }))
      const { rows, others } = await core()
        .audit.exportTo(filter, format, file, boundOf(access))
        .catch((error: unknown) => {
          throw error instanceof AuditError ? new Refusal(`The log was not exported to ${file}: ${error.message}`) : error
        })
      return { rows, others, path: file }
    },
    'audit.verify': () => core().logCheck.verify(),
    'audit.verified': () => core().logCheck.last(),
    'audit.breaks': () => core().audit.breaks(),
  } satisfies Partial<Api>
}

function allowsEveryName({ allow, deny }: Policy): boolean {
  return allow.includes('*') && deny.length === 0
}

function fullPath(asked: string): string {
  const file = asked.startsWith('~/') ? path.join(homedir(), asked.slice(2)) : asked
  if (!path.isAbsolute(file)) throw new Refusal(`'${asked}' is not a full path; begin it with ${path.parse(homedir()).root} or ~/`)
  return file
}

/** Where a browser would put it. */
function fileFor(format: 'jsonl' | 'csv', now: number): string {
  const downloads = path.join(homedir(), 'Downloads')
  const time = new Date(now).toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')
  return path.join(existsSync(downloads) ? downloads : homedir(), `countersign-audit-${time}.${format}`)
}
