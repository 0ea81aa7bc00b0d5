// What a client that is bound by a policy may read of the log: rows about secrets whose names it may see, rows about itself, and
// those that can name no secret. A row's shape says all that is needed to tell, so a bound reader pays once per shape and question.

import type { AuditFilter } from '../../../src-shared/audit.ts'
import { maySee } from '../../../src-shared/decide.ts'
import type { Policy } from '../../../src-shared/policy.ts'
import type { Log } from './lexicon.ts'
import type { Shape } from './projection.ts'

/** Who reads, and by which policy; null where that policy is missing or refused. */
export interface Bound {
  client: string
  policyName: string
  policy: Policy | null
}

/** Events that say what the host did, and in whose details no name of a secret can stand. Whatever is not here is counted. */
const NAMELESS = new Set([
  'host.started',
  'host.stopped',
  'host.paused',
  'host.resumed',
  'host.locked',
  'pin.set',
  'login.refused',
  'login.acknowledged',
  'connections.refused while locked',
  'http.opened',
  'http.closed',
  'http.failed',
  'http.refused',
  'vault.recovered',
  'vault.copy failed',
  'audit.segment',
  'audit.acknowledged',
  'audit.pruned',
  'audit.damaged',
  'audit.damage acknowledged',
])

/** Which shapes it may see. Asked of names that the log holds, whether there is such a secret now or not. */
export function sightOf({ lexicon: { words } }: Log, { client, policyName, policy }: Bound): (shape: Shape) => boolean {
  const verdicts = new Map<number, boolean>()
  const mayName = (id: number) => {
    const known = verdicts.get(id)
    if (known !== undefined) return known
    const secret = words.word(id)
    const verdict = secret !== null && maySee(client, secret, policyName, policy)
    verdicts.set(id, verdict)
    return verdict
  }
  return ([by, tool, secret, , event, rule]) => {
    if (words.word(by) === client) return true
    // A pattern of somebody else's policy may spell out other names beside the one it matched: deny {dev/a,prod/b}.
    if (words.word(rule)?.includes('{')) return false
    if (secret !== 0) return mayName(secret)
    return tool === 0 && NAMELESS.has(words.word(event) ?? '')
  }
}

/** A filter by which rows out of sight are counted: asking for a name, or for words, must not tell whether there is such a row. */
export function namelessFilter({ secret: _secret, text: _text, not, ...filter }: AuditFilter): AuditFilter {
  const { secret: _not, ...others } = not ?? {}
  return { ...filter, not: others }
}

/** The plan of an import says of each name in its file whether it is here, and what other policies allow. */
export function tellsOfOthers(tool: string | null): boolean {
  return tool === 'import_backup'
}
