import { globFault } from '../../src-shared/glob.ts'
import { DEFAULT_POLICY, type Policy } from '../../src-shared/policy.ts'
import { Refusal } from './errors.ts'
import type { Rows } from './rows.ts'

export interface Policies {
  list: () => Policy[]
  /** null: no such policy, or its row was edited by somebody else. Either way nothing is allowed under it. */
  get: (name: string) => Policy | null
  /** Names of policies whose rows are not ours any more. */
  refused: () => string[]
  save: (policy: Policy) => void
  remove: (name: string) => void
}

/** `firstRun` alone may create `default`: later its absence means that somebody took it away. */
export function openPolicies(rows: Rows, firstRun: boolean): Policies {
  if (firstRun && rows.get('policy', DEFAULT_POLICY.name) === null) rows.put('policy', DEFAULT_POLICY.name, DEFAULT_POLICY)
  // The MAC says that we wrote it, so its shape is ours.
  const get = (name: string) => (rows.intact ? (rows.get('policy', name) as Policy | null) : null)
  return {
    list: () => rows.list('policy').map(({ body }) => body as Policy),
    get,
    refused: () => rows.refused.filter(({ kind }) => kind === 'policy').map(({ id }) => id),
    save: (policy) => {
      for (const [list, patterns] of [
        ['allow', policy.allow],
        ['deny', policy.deny],
      ] as const) {
        for (const [index, pattern] of patterns.entries()) {
          const fault = globFault(pattern)
          if (fault !== null) {
            throw new Refusal(`${list} pattern ${index + 1} ('${pattern}') is wrong at position ${fault.position + 1}: ${fault.message}`)
          }
        }
      }
      rows.put('policy', policy.name, policy)
    },
    remove: (name) => {
      if (rows.get('policy', name) === null) throw new Refusal(`There is no policy '${name}'`, 'not found')
      rows.remove('policy', name)
    },
  }
}
