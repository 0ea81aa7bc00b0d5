import type { ClientInfo } from '../../../src-shared/rpc.ts'
import { showUntrusted } from '../../../src-shared/untrusted.ts'
import { useHostData } from '../../link/use-host.ts'
import { CopyText } from '../../ui/copy-text.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import css from './connect-dialog.module.css'
import { commandLine, configEntry } from './launch-text.ts'

const NEVER = [] as const
const CHANGES = ['changed'] as const

/** What to put into the client's config file. It holds no key: that one is in our own folder. */
export function ConnectDialog({ client, onClose }: { client: ClientInfo; onClose: () => void }) {
  const { data: launch, error } = useHostData('clients.launch', {}, NEVER)
  const now = useHostData('clients.list', {}, CHANGES).data?.find(({ id }) => id === client.id)
  return (
    <Dialog title={`Connect ${showUntrusted(client.name)}`} wide onClose={onClose}>
      <div className={css.text}>
        {error !== null && <p className="fault">{error}</p>}
        {launch !== null && (
          <>
            <p>Put this into its MCP config (the file where it lists its servers), then restart it:</p>
            <CopyText label="Config entry" text={configEntry(launch, client.id)} />
            <p>Where it wants a single command line:</p>
            <CopyText label="Command line" text={commandLine(launch, client.id)} />
          </>
        )}
        <p>
          With Countersign&apos;s command installed, <code>countersign mcp --client {client.id}</code> does the same.
        </p>
        <p role="status" className={css.seen}>
          {now !== undefined && now.lastSeen !== null ? '✓ It has been here.' : '… Waiting for it to come for the first time.'}
        </p>
      </div>
      <DialogButtons onCancel={onClose} cancel="Done" />
    </Dialog>
  )
}
