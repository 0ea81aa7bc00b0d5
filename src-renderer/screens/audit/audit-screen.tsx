import { useEffect, useEffectEvent, useRef, useState, type KeyboardEvent } from 'react'
import type { AuditRow } from '../../../src-shared/audit.ts'
import { within } from '../../../src-shared/query-edits.ts'
import { filterOf, parseQuery } from '../../../src-shared/query.ts'
import { navigate, useRoute } from '../../frame/route.ts'
import { Waiting } from '../../prompt/waiting.tsx'
import { useKeys } from '../../ui/keys.ts'
import css from './audit-screen.module.css'
import { CellMenu } from './cell-menu.tsx'
import { cellOf, type CellValue } from './columns.ts'
import { ExportDialog } from './export-dialog.tsx'
import { Facets } from './facets.tsx'
import { Foot } from './foot.tsx'
import { HistogramChart } from './histogram.tsx'
import { Inspector } from './inspector.tsx'
import { LogList, type Cursor } from './log-list.tsx'
import { NothingFound, NothingYet } from './nothing.tsx'
import { QueryLine } from './query-line.tsx'
import { useAuditShape } from './use-audit-shape.ts'
import { useAuditView } from './use-audit-view.ts'
import { useCellActions, type Subject } from './use-cell-actions.ts'

interface OpenMenu {
  cell: CellValue
  subject: Subject
  at: { x: number; y: number }
  /** Where the focus was. */
  from: Element | null
}

export function AuditScreen() {
  const { params } = useRoute()
  const query = params.get('q') ?? ''
  const entry = entryOf(params.get('entry'))
  const [atTop, setAtTop] = useState(true)
  const [cursor, setCursor] = useState<Cursor | null>(null)
  const live = atTop && entry === null && (cursor === null || cursor.index === 0)
  const { view, look, error, renew } = useAuditView(query, live)
  const shape = useAuditShape(view, look)
  const fresh = look?.fresh ?? 0

  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  const [exporting, setExporting] = useState(false)
  const [filtering, setFiltering] = useState(false)

  const go = (next: { q?: string; entry?: number | null }, replace = false) => {
    const to = next.entry === undefined ? entry : next.entry
    navigate('audit', { q: next.q ?? query, entry: to === null ? '' : String(to) }, { replace })
  }
  const setQuery = (text: string, replace = false) => {
    // Whoever is in the list stays there, at the newest answer.
    setCursor(cursor !== null && document.activeElement === list.current ? { ...cursor, index: 0 } : null)
    go({ q: text }, replace)
  }
  const { itemsFor, copy, note } = useCellActions(query, setQuery)

  // At the top again: what came meanwhile is shown.
  const catchUp = useEffectEvent((isLive: boolean) => {
    if (isLive && fresh > 0) renew()
  })
  useEffect(() => catchUp(live), [live])

  function toNewest(): void {
    setCursor(null)
    setAtTop(true)
    list.current?.querySelector('[data-scroller]')?.scrollTo({ top: 0 })
    go({ entry: null }, true)
    renew()
  }

  const open = (row: AuditRow, at: Cursor) => {
    setCursor(at)
    go({ entry: row.seq === entry ? null : row.seq }, entry !== null)
  }
  const moveTo = (at: Cursor) => {
    setCursor(at)
    const row = view?.pages.rowAt(at.index)
    if (entry !== null && row !== undefined) go({ entry: row.seq }, true)
  }
  const close = () => {
    go({ entry: null }, true)
    list.current?.focus()
  }
  const showMenu = (cell: CellValue | null, subject: Subject, at: OpenMenu['at']) => {
    if (cell !== null) setMenu({ cell, subject, at, from: document.activeElement })
  }

  const zoom = (time: { from: number; to: number } | null) => setQuery(within(query, time))
  const shift = (direction: 1 | -1) => {
    const now = Date.now()
    const { from, to = now } = filterOf(parseQuery(query).terms, now)
    if (from === undefined) return
    const span = (to - from) * direction
    zoom({ from: from + span, to: to + span })
  }
  const narrow = (how: 'only' | 'not') => {
    const row = cursor === null ? undefined : view?.pages.rowAt(cursor.index)
    const edit = row === undefined || cursor === null ? null : cellOf(row, cursor.column)?.[how]
    if (edit) setQuery(edit(query))
  }

  const toList = () => list.current?.focus()
  useKeys({
    '/': () => field.current?.select(),
    f: () => narrow('only'),
    x: () => narrow('not'),
    c: () => {
      const row = cursor === null ? undefined : view?.pages.rowAt(cursor.index)
      const cell = row === undefined || cursor === null ? null : cellOf(row, cursor.column)
      if (cell !== null) void copy(cell.text)
    },
    l: toNewest,
    '[': () => shift(-1),
    ']': () => shift(1),
    e: () => setExporting(view !== null),
    j: toList,
    k: toList,
    ArrowDown: toList,
  })

  const isNew = query === '' && shape !== null && !shape.facets.event.some(({ value }) => value === 'call' || value.startsWith('approval.'))
  return (
    <div className={css.audit} aria-busy={view?.query !== query}>
      <Waiting />
      <div className={css.bar}>
        <QueryLine
          field={field}
          query={query}
          fault={error}
          facets={shape?.facets ?? null}
          onQuery={(text, how) => setQuery(text, how === 'typing')}
          leave={toList}
        />
        <button
          type="button"
          className={css.filters}
          aria-expanded={filtering}
          aria-controls="audit-facets"
          onClick={() => setFiltering(!filtering)}
        >
          Filters
        </button>
        <button type="button" title="Export (e)" disabled={view === null} onClick={() => setExporting(true)}>
          Export…
        </button>
      </div>
      <div className={css.chart}>
        {shape !== null && (
          <HistogramChart shape={shape} zoomed={view?.filter.from !== undefined || view?.filter.to !== undefined} onZoom={zoom} />
        )}
      </div>
      <div className={entry === null ? css.middle : css.inspecting} onKeyDown={(event) => escaped(event, entry === null ? null : close)}>
        <div id="audit-facets" className={filtering ? css.sideOpen : css.side} role="group" aria-label="Filters">
          {shape !== null && <Facets facets={shape.facets} query={query} onQuery={setQuery} />}
        </div>
        <div className={css.list}>
          {view !== null && view.totals.rows > 0 && (
            <LogList
              ref={list}
              view={view}
              cursor={cursor}
              open={entry}
              onCursor={moveTo}
              onOpen={open}
              onMenu={(row, at, place) => {
                setCursor(at)
                showMenu(cellOf(row, at.column), row, place)
              }}
              onTop={setAtTop}
            />
          )}
          {fresh > 0 && !live && (
            <button type="button" className={css.pill} onClick={toNewest}>
              {fresh} new <span aria-hidden="true">↑</span>
            </button>
          )}
          {view !== null && view.totals.rows === 0 && <NothingFound query={view.query} onQuery={setQuery} />}
          {isNew && <NothingYet />}
        </div>
        {entry !== null && <Inspector seq={entry} onCell={(cell, story, at) => showMenu(cell, story, at)} onClose={close} />}
      </div>
      <Foot view={view} onEntry={(seq) => go({ entry: seq })} />
      <p role="status" className={note === null ? 'unseen' : css.note}>
        {note}
      </p>
      {menu !== null && (
        <CellMenu
          at={menu.at}
          label={menu.cell.text}
          items={itemsFor(menu.cell, menu.subject)}
          onClose={() => {
            setMenu(null)
            if (menu.from instanceof HTMLElement) menu.from.focus()
          }}
        />
      )}
      {exporting && view !== null && <ExportDialog view={view} onClose={() => setExporting(false)} />}
    </div>
  )
}

function entryOf(text: string | null): number | null {
  const seq = Number(text ?? '')
  return Number.isSafeInteger(seq) && seq > 0 ? seq : null
}

function escaped(event: KeyboardEvent, close: (() => void) | null): void {
  if (event.key !== 'Escape' || close === null || event.defaultPrevented) return
  event.preventDefault()
  close()
}
