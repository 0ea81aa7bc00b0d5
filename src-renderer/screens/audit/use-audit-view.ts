import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { AuditFilter, AuditRow, AuditTotals } from '../../../src-shared/audit.ts'
import { filterOf, parseQuery } from '../../../src-shared/query.ts'
import { sentence } from '../../link/host-link.ts'
import { useLink } from '../../link/use-host.ts'
import { createPages, type Pages } from './pages.ts'

/** Events that come closer together than this are answered together. */
const PAUSE_MS = 300
const FIRST_PAGE = 100

/** The log as it was at one moment: rows keep their places while it grows. */
export interface AuditView {
  /** What it answers, as text. */
  query: string
  /** When it was asked: what "the last 24 hours" is counted from. */
  now: number
  filter: AuditFilter
  totals: AuditTotals
  pages: Pages<AuditRow>
}

export interface Look {
  /** Wall time. */
  at: number
  /** Rows that came since the view was made. */
  fresh: number
}

export interface Looking {
  /** The latest view; of the query before, until that of a new one is there. */
  view: AuditView | null
  /** The last time the log was looked at. */
  look: Look | null
  error: string | null
  /** Bring the view up to date. */
  renew: () => void
}

/** `live`: the view follows the log. Otherwise it stands still, and tells how much is new. */
export function useAuditView(query: string, live: boolean): Looking {
  const link = useLink()
  const [view, setView] = useState<AuditView | null>(null)
  const [latest, setLatest] = useState<Look | null>(null)
  const [error, setError] = useState<string | null>(null)
  const renewal = useRef(() => {})
  const parsed = useMemo(() => parseQuery(query), [query])

  async function load(): Promise<AuditView> {
    const now = Date.now()
    const filter = filterOf(parsed.terms, now)
    const totals = await link.call('audit.totals', { filter })
    const page = (skip: number, limit: number) => link.call('audit.query', { filter, before: totals.head + 1, skip, limit })
    const first = totals.rows === 0 ? [] : (await page(0, FIRST_PAGE)).rows
    const pages = createPages<AuditRow>({
      rows: totals.rows,
      first,
      load: async (skip, limit) => (await page(skip, limit)).rows,
      failed: (failure) => setError(sentence(failure)),
    })
    return { query, now, filter, totals, pages }
  }

  const look = useEffectEvent(async (isOver: () => boolean, anew: boolean): Promise<void> => {
    try {
      if (anew || live || view === null || view.query !== query) {
        const next = await load()
        if (isOver()) return next.pages.close()
        view?.pages.close()
        setView(next)
        setLatest({ at: next.now, fresh: 0 })
      } else {
        const { rows } = await link.call('audit.totals', { filter: view.filter })
        if (isOver()) return
        // What is in view may have come to its end meanwhile.
        view.pages.renew()
        setLatest({ at: Date.now(), fresh: Math.max(0, rows - view.totals.rows) })
      }
      setError(null)
    } catch (failure) {
      if (!isOver()) setError(sentence(failure))
    }
  })

  useEffect(() => {
    if (parsed.fault !== null) return
    let over = false
    let busy = false
    let wanted: 'a look' | 'a new view' | null = null
    let timer: ReturnType<typeof setTimeout> | null = null

    async function run(what: NonNullable<typeof wanted>): Promise<void> {
      if (wanted !== 'a new view') wanted = what
      if (busy || link.state() !== 'open') return
      busy = true
      const anew = wanted === 'a new view'
      wanted = null
      await look(() => over, anew)
      busy = false
      if (wanted !== null && !over) soon(wanted)
    }
    function soon(what: NonNullable<typeof wanted>): void {
      timer ??= setTimeout(() => {
        timer = null
        void run(what)
      }, PAUSE_MS)
    }

    const offEvent = link.onEvent(({ event }) => {
      if (event === 'audit') soon('a look')
    })
    const offState = link.onState(() => void run('a new view'))
    renewal.current = () => void run('a new view')
    void run('a new view')
    return () => {
      over = true
      offEvent()
      offState()
      if (timer !== null) clearTimeout(timer)
    }
  }, [link, parsed])

  return { view, look: latest, error: parsed.fault ?? error, renew: () => renewal.current() }
}
