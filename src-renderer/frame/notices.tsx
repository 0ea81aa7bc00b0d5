import { useState } from 'react'
import type { HostStatus } from '../../src-shared/rpc.ts'
import { sentence } from '../link/host-link.ts'
import { useLink } from '../link/use-host.ts'
import { Untrusted } from '../ui/untrusted.tsx'
import { absolute } from '../ui/time.ts'
import css from './notices.module.css'

/** What a person must know before anything else: the connection, a pause, and alarms, which stay until they are acknowledged. */
export function Notices({ connected, status }: { connected: boolean; status: HostStatus | null }) {
  const link = useLink()
  const [error, setError] = useState<string | null>(null)

  async function act(work: Promise<unknown>): Promise<void> {
    setError(null)
    await work.catch((failure: unknown) => setError(sentence(failure)))
  }

  // Of a vault that is not open the room in place of the desk tells, with what can be done about it.
  const alarms = status?.state === 'open' ? status.alarms : []

  return (
    <div className={css.notices}>
      <div role="status">{!connected && <p className={css.warn}>The connection to Countersign broke. Trying again…</p>}</div>
      {status !== null && status.state === 'open' && status.trouble !== null && (
        <p role="alert" className={css.alarm}>
          {status.trouble}
        </p>
      )}
      {status !== null && status.paused !== null && (
        <div className={css.warn}>
          <p>
            All access is paused {status.paused.until === null ? 'until you resume it' : `until ${absolute(status.paused.until)}`}. Every
            call is refused.
          </p>
          <button type="button" onClick={() => void act(link.call('host.resume', {}))}>
            Resume
          </button>
        </div>
      )}
      <ul aria-label="Alarms">
        {alarms.map(({ id, text }) => (
          <li key={id} className={css.alarm}>
            <p>
              <span aria-hidden="true">! </span>
              <Untrusted text={text} max={300} />
            </p>
            {mayAcknowledge(id) && (
              <button type="button" onClick={() => void act(link.call('alarms.acknowledge', { id }))}>
                Acknowledge
              </button>
            )}
          </li>
        ))}
      </ul>
      {error !== null && (
        <p role="alert" className={css.alarm}>
          {error}
        </p>
      )}
    </div>
  )
}

/** An alarm about a secret ends when its cause does; there is nothing to acknowledge. */
function mayAcknowledge(id: string): boolean {
  return !id.startsWith('secret:')
}
