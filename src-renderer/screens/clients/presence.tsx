import type { ClientInfo } from '../../../src-shared/rpc.ts'
import { Badge } from '../../ui/badge.tsx'

export function Presence({ client }: { client: ClientInfo }) {
  if (client.paused) return <Badge tone="warn">‖ paused</Badge>
  if (client.connections > 1) return <Badge tone="good">● {client.connections} connections</Badge>
  if (client.connections === 1) return <Badge tone="good">● connected</Badge>
  return <Badge tone="quiet">○ {client.lastSeen === null ? 'not seen yet' : 'away'}</Badge>
}
