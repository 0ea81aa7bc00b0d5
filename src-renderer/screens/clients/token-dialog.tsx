import type { ClientInfo, HttpState } from '../../../src-shared/rpc.ts'
import { showUntrusted } from '../../../src-shared/untrusted.ts'
import { useHostData } from '../../link/use-host.ts'
import { CopyText } from '../../ui/copy-text.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { dateOf } from '../../ui/time.ts'
import css from './connect-dialog.module.css'

const CHANGES = ['changed'] as const

/** A client's token, the one time it can be seen: we keep only its hash. */
export function TokenDialog({ client, token, onClose }: { client: ClientInfo; token: string; onClose: () => void }) {
  const http = useHostData('status', {}, CHANGES).data?.http ?? null
  return (
    <Dialog title={`Connect ${showUntrusted(client.name)}`} wide onClose={onClose}>
      <div className={css.text}>
        <p>This is its token. Put it where the client keeps such things now; it cannot be shown again.</p>
        <CopyText label="Header" text={`Authorization: Bearer ${token}`} />
        <p>{where(http)}</p>
        {client.tokenEnd !== undefined && <p>It ends on {dateOf(client.tokenEnd.at)}.</p>}
      </div>
      <DialogButtons onCancel={onClose} cancel="Done" />
    </Dialog>
  )
}

function where(http: HttpState | null): string {
  if (http === null) return 'MCP over HTTP is off: switch it on under Settings.'
  return 'url' in http ? `It is sent with every request to ${http.url}.` : http.trouble
}
