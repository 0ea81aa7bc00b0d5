import { useEffect, useRef, useState } from 'react'
import type { AuditRow } from '../../../src-shared/audit.ts'
import { PRACTICE } from '../../../src-shared/client.ts'
import type { Result } from '../../../src-shared/rpc.ts'
import { hashOf } from '../../frame/route.ts'
import { useHostData, useLink } from '../../link/use-host.ts'
import { ApprovalCard } from '../../prompt/approval-card.tsx'
import { useAction } from '../../ui/use-action.ts'
import { useNow } from '../../ui/time.ts'
import { When } from '../../ui/when.tsx'
import css from './practice.module.css'

const APPROVALS = ['approvals'] as const

/** Asks for real, and shows what came of it. */
export function Practice({ isNext, rows }: { isNext: boolean; rows: readonly AuditRow[] }) {
  const link = useLink()
  const action = useAction()
  const now = useNow(15_000)
  const { data, at } = useHostData('approvals.list', {}, APPROVALS)
  const asked = data?.open.find(({ clientId }) => clientId === PRACTICE)
  const [told, setTold] = useState<Result<'practice.start'> | null>(null)

  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (asked?.id !== undefined) place.current?.querySelector<HTMLElement>('[data-safe]')?.focus()
  }, [asked?.id])

  async function start(): Promise<void> {
    setTold(null)
    await action.run(async () => setTold(await link.call('practice.start', {})))
  }

  return (
    <div ref={place} className={css.practice}>
      <button type="button" className={isNext ? 'primary' : undefined} disabled={action.busy} onClick={() => void start()}>
        {action.busy ? 'Waiting for your answer…' : rows.length > 0 ? 'Practise again' : 'Ask me something'}
      </button>
      {asked !== undefined && <ApprovalCard key={asked.id} view={asked} hostNow={data?.now ?? 0} at={at} isFirst place={null} />}
      {action.error !== null && (
        <p role="alert" className="fault">
          {action.error}
        </p>
      )}
      {told !== null && (
        <p role="status">
          {told.refused ? 'A client would have been told: ' : 'You allowed it. A client would have had its answer now.'}
          {told.refused && <q>{told.text}</q>}
        </p>
      )}
      {rows.length > 0 && (
        <>
          <ul aria-label="What is on record about it">
            {rows.slice(0, 3).map((row) => (
              <li key={row.seq}>
                <When wall={row.wall} now={now} />
                <span>{EVENTS[row.event] ?? row.event}</span>
                <span className="soft">{row.outcome}</span>
              </li>
            ))}
          </ul>
          <a href={hashOf('audit')}>See them in the audit log</a>
        </>
      )}
    </div>
  )
}

const EVENTS: Partial<Record<string, string>> = {
  call: 'The call ended',
  'approval.opened': 'You were asked',
  'approval.ended': 'You answered',
}
