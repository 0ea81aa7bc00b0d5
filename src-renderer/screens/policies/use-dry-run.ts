import { useEffect, useState } from 'react'
import type { DryRun } from '../../../src-shared/dry-run.ts'
import type { Policy } from '../../../src-shared/policy.ts'
import { sentence } from '../../link/host-link.ts'
import { useLink } from '../../link/use-host.ts'

export interface DryRunState {
  /** Null while it is being decided. */
  run: DryRun | null
  error: string | null
}

/** While a pattern is being typed. */
const PAUSE_MS = 300
const NOTHING: DryRunState = { run: null, error: null }

/** Of a policy as it is edited; null where there is nothing to try out. */
export function useDryRun(policy: Policy | null): DryRunState {
  const link = useLink()
  const [held, setHeld] = useState<DryRunState & { of: string }>({ ...NOTHING, of: '' })
  const asked = policy === null ? null : JSON.stringify(policy)
  useEffect(() => {
    if (asked === null) return
    let over = false
    const timer = setTimeout(() => {
      link.call('policies.dryRun', JSON.parse(asked) as Policy).then(
        (run) => {
          if (!over) setHeld({ of: asked, run, error: null })
        },
        (error: unknown) => {
          if (!over) setHeld({ of: asked, run: null, error: sentence(error) })
        },
      )
    }, PAUSE_MS)
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [link, asked])
  return held.of === asked ? held : NOTHING
}
