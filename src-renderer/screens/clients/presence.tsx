import type { ClientInfo } from '../../../src-shared/rpc.ts'
import css from './presence.module.css'

/** Word, glyph and tint together: colour never speaks alone. */
export function Presence({ client }: { client: ClientInfo }) {
  if (client.paused) return <span className={css.warn}>‖ paused</span>
  if (client.connections > 1) return <span className={css.good}>● {client.connections} connections</span>
  if (client.connections === 1) return <span className={css.good}>● connected</span>
  return <span className={css.quiet}>○ {client.lastSeen === null ? 'not seen yet' : 'away'}</span>
}
