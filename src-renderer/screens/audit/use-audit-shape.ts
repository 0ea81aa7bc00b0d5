import { useEffect, useRef, useState } from 'react'
import type { AuditFacets, Histogram } from '../../../src-shared/audit.ts'
import { useLink } from '../../link/use-host.ts'
import type { AuditView, Look } from './use-audit-view.ts'

const BARS = 90
const SHORTEST_MS = 15 * 60_000

export interface AuditShape {
  /** The query it belongs to. */
  query: string
  facets: AuditFacets
  histogram: Histogram
  /** What the histogram shows. */
  from: number
  to: number
}

/** What the rows of a view are, in numbers, as of its latest look. An answer that is overtaken by a later one is dropped. */
export function useAuditShape(view: AuditView | null, look: Look | null): AuditShape | null {
  const link = useLink()
  const [shape, setShape] = useState<AuditShape | null>(null)
  const asked = useRef(0)
  const shown = useRef(0)

  useEffect(() => {
    if (view === null || look === null) return
    const { filter, totals, query } = view
    const turn = ++asked.current
    const to = filter.to ?? look.at
    const from = filter.from ?? Math.min(totals.oldest ?? to, to - SHORTEST_MS)
    const ask = async (): Promise<void> => {
      const [histogram, facets] = await Promise.all([
        link.call('audit.histogram', { filter, from, to, buckets: BARS }),
        link.call('audit.facets', { filter }),
      ])
      if (turn < shown.current) return
      shown.current = turn
      setShape({ query, facets, histogram, from, to })
    }
    // The rows themselves tell what is wrong; these numbers stay as they were.
    ask().catch(() => {})
  }, [link, view, look])

  return shape
}
