import { memo, type MouseEvent } from 'react'
import { decidedBy, type AuditRow } from '../../../src-shared/audit.ts'
import { OutcomeLabel } from '../../ui/outcome.tsx'
import { absolute, ago } from '../../ui/time.ts'
import { Line } from '../../ui/untrusted.tsx'
import { COLUMNS, type Column } from './columns.ts'
import css from './log-list.module.css'
import { whoText } from './who.ts'

interface Props {
  id: string
  /** Its place in the list. */
  index: number
  row: AuditRow | undefined
  now: number
  /** The column the keyboard is at, if it is in this row. */
  active: Column | null
  open: boolean
  onOpen: (index: number, column: Column) => void
  onMenu: (index: number, column: Column, at: { x: number; y: number }) => void
}

export const LogRow = memo(function LogRow({ id, index, row, now, active, open, onOpen, onMenu }: Props) {
  function menu(event: MouseEvent, column: Column): void {
    event.preventDefault()
    event.stopPropagation()
    onMenu(index, column, { x: event.clientX, y: event.clientY })
  }

  const cell = (column: Column) => ({
    id: `${id}-${index}-${column}`,
    role: 'gridcell',
    className: `${css.cell} ${css[column]}`,
    'data-active': active === column ? '' : undefined,
  })

  if (row === undefined) {
    return (
      <div role="row" aria-rowindex={index + 2} className={css.row}>
        {COLUMNS.map((column) => (
          <div key={column} {...cell(column)}>
            <span className={css.blank} />
          </div>
        ))}
      </div>
    )
  }
  return (
    <div role="row" aria-rowindex={index + 2} aria-selected={open} className={css.row} data-active={active === null ? undefined : ''}>
      {COLUMNS.map((column) => (
        <div key={column} {...cell(column)} onClick={() => onOpen(index, column)} onContextMenu={(event) => menu(event, column)}>
          <Cell row={row} column={column} now={now} />
          <button type="button" tabIndex={-1} aria-hidden="true" className={css.dots} onClick={(event) => menu(event, column)}>
            ⋯
          </button>
        </div>
      ))}
    </div>
  )
})

function Cell({ row, column, now }: { row: AuditRow; column: Column; now: number }) {
  switch (column) {
    case 'when':
      return (
        <time dateTime={new Date(row.wall).toISOString()} title={absolute(row.wall)}>
          {ago(row.wall, now)}
        </time>
      )
    case 'client':
      return row.client === null ? null : <bdi>{whoText(row.client)}</bdi>
    case 'what':
      return <Line text={row.event === 'call' ? (row.tool ?? 'unknown') : row.event} />
    case 'secret':
      return row.secret === null ? null : <Line text={row.secret} max={128} />
    case 'outcome':
      return row.outcome === null ? null : <OutcomeLabel outcome={row.outcome} />
    case 'why':
      return <Line text={decidedBy(row)} max={120} />
  }
}
