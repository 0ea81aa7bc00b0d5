import { useEffect, useId, useLayoutEffect, useRef, useState, useSyncExternalStore, type KeyboardEvent, type RefObject } from 'react'
import type { AuditRow } from '../../../src-shared/audit.ts'
import { useNow } from '../../ui/time.ts'
import { COLUMN_LABELS, COLUMNS, type Column } from './columns.ts'
import css from './log-list.module.css'
import { LogRow } from './log-row.tsx'
import type { AuditView } from './use-audit-view.ts'
import { attachScroller, type Scroller } from './scroller.ts'
import type { Visible } from './windowing.ts'

export interface Cursor {
  index: number
  column: Column
}

interface Props {
  ref: RefObject<HTMLDivElement | null>
  view: AuditView
  cursor: Cursor | null
  /** The entry that is looked at. */
  open: number | null
  onCursor: (cursor: Cursor) => void
  onOpen: (row: AuditRow, cursor: Cursor) => void
  onMenu: (row: AuditRow, cursor: Cursor, at: { x: number; y: number }) => void
  onTop: (atTop: boolean) => void
}

/** A grid of any length, of which only what is in view is there. The focus is the grid's; a cell is pointed at. */
export function LogList({ ref, view, cursor, open, onCursor, onOpen, onMenu, onTop }: Props) {
  const id = useId()
  const now = useNow(15_000)
  const { pages, totals } = view
  useSyncExternalStore(pages.subscribe, pages.version)

  const outer = useRef<HTMLDivElement>(null)
  const track = useRef<HTMLDivElement>(null)
  const pane = useRef<HTMLDivElement>(null)
  const scroller = useRef<Scroller>(null)
  const [{ first, end }, setVisible] = useState<Pick<Visible, 'first' | 'end'>>({ first: 0, end: 0 })

  useLayoutEffect(() => {
    if (outer.current === null || track.current === null || pane.current === null) return
    const attached = attachScroller({ outer: outer.current, track: track.current, pane: pane.current }, (now) => {
      setVisible((before) => (before.first === now.first && before.end === now.end ? before : now))
      onTop(now.first === 0)
    })
    scroller.current = attached
    return attached.detach
  }, [onTop])
  useLayoutEffect(() => scroller.current?.setRows(totals.rows), [totals])
  // Another question begins at its newest answer.
  const asked = useRef(view.query)
  useLayoutEffect(() => {
    if (asked.current === view.query) return
    asked.current = view.query
    scroller.current?.toTop()
  }, [view.query])
  useEffect(() => pages.want(first, end), [pages, first, end])
  useEffect(() => {
    if (cursor !== null) scroller.current?.show(cursor.index)
  }, [cursor])

  function keyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || totals.rows === 0) return
    const at = cursor ?? { index: first, column: 'client' }
    const next = moved(event.key, at, totals.rows, scroller.current?.page() ?? 1)
    if (next !== null) {
      event.preventDefault()
      onCursor(cursor === null ? at : next)
      return
    }
    const row = pages.rowAt(at.index)
    if (row === undefined) return
    if (event.key === 'Enter') {
      event.preventDefault()
      onOpen(row, at)
    } else if (event.key === 'm' || event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      event.preventDefault()
      const box = document.getElementById(`${id}-${at.index}-${at.column}`)?.getBoundingClientRect()
      onMenu(row, at, { x: box?.left ?? 0, y: box?.bottom ?? 0 })
    }
  }

  const rows = Array.from({ length: end - first }, (_, n) => first + n)
  const pointsAt = cursor !== null && cursor.index >= first && cursor.index < end ? `${id}-${cursor.index}-${cursor.column}` : undefined

  return (
    <div
      ref={ref}
      role="grid"
      tabIndex={0}
      className={css.grid}
      aria-label="Entries, newest first"
      aria-rowcount={totals.rows + 1}
      aria-colcount={COLUMNS.length}
      aria-activedescendant={pointsAt}
      onKeyDown={keyDown}
      onFocus={({ target, currentTarget }) => target === currentTarget && cursor === null && onCursor({ index: first, column: 'client' })}
    >
      <div role="row" aria-rowindex={1} className={`${css.row} ${css.head}`}>
        {COLUMNS.map((column) => (
          <div key={column} role="columnheader" className={`${css.cell} ${css[column]}`}>
            {COLUMN_LABELS[column]}
          </div>
        ))}
      </div>
      <div ref={outer} role="rowgroup" tabIndex={-1} className={css.scroller} data-scroller="">
        <div ref={track}>
          <div ref={pane} className={css.pane}>
            <div className={css.rows}>
              {rows.map((index) => {
                const row = pages.rowAt(index)
                return (
                  <LogRow
                    key={index}
                    id={id}
                    index={index}
                    row={row}
                    now={now}
                    active={cursor?.index === index ? cursor.column : null}
                    open={row !== undefined && row.seq === open}
                    onOpen={(at, column) => row !== undefined && onOpen(row, { index: at, column })}
                    onMenu={(at, column, place) => row !== undefined && onMenu(row, { index: at, column }, place)}
                  />
                )
              })}
            </div>
          </div>
        </div>
      </div>
    </div>
  )
}

/** Where a key leads; null if it leads nowhere. */
function moved(key: string, { index, column }: Cursor, rows: number, page: number): Cursor | null {
  const to = (row: number): Cursor => ({ index: Math.min(Math.max(0, row), rows - 1), column })
  const sideways = (step: number): Cursor => {
    const at = COLUMNS.indexOf(column) + step
    return { index, column: COLUMNS[Math.min(Math.max(0, at), COLUMNS.length - 1)] ?? column }
  }
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return to(index + 1)
    case 'ArrowUp':
    case 'k':
      return to(index - 1)
    case 'ArrowRight':
      return sideways(1)
    case 'ArrowLeft':
      return sideways(-1)
    case 'PageDown':
    case ' ':
      return to(index + page)
    case 'PageUp':
      return to(index - page)
    case 'Home':
      return to(0)
    case 'End':
      return to(rows - 1)
    default:
      return null
  }
}
