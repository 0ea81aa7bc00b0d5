import { useId, useState } from 'react'
import type { Result } from '../../../src-shared/rpc.ts'
import type { SecretInfo } from '../../../src-shared/secret.ts'
import { hashOf } from '../../frame/route.ts'
import { useClientNames } from '../../ui/client-names.ts'
import { Sparkline } from '../../ui/sparkline.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { When } from '../../ui/when.tsx'
import { ClipboardNote } from './clipboard-note.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { Expiry, StateBadge, Tags } from './marks.tsx'
import { Noticed } from './noticed.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import css from './secret-detail.module.css'
import { ShownValue } from './shown-value.tsx'
import { Versions } from './versions.tsx'

interface Props {
  secret: SecretInfo
  uses: Result<'secrets.uses'> | null
  now: number
  close: () => void
  /** Shows another one. */
  choose: (name: string) => void
}

/** Everything about one secret, beside the list. */
export function SecretDetail({ secret, uses, now, close, choose }: Props) {
  const id = useId()
  const nameOf = useClientNames()
  const [dialog, setDialog] = useState<'edit' | 'rename' | 'remove' | null>(null)
  const used = uses?.secrets.find(({ name }) => name === secret.name)
  const clients = used?.clients.map(({ client, calls }) => ({ name: nameOf(client), calls })) ?? []

  return (
    <aside className={css.panel} aria-labelledby={id}>
      <header>
        <h3 id={id}>{secret.name}</h3>
        <button type="button" className="plain" aria-label="Close the details" onClick={close}>
          ✕
        </button>
      </header>
      <StateBadge state={secret.state} />
      <Noticed secret={secret} />
      <ShownValue secret={secret} />
      <ClipboardNote />
      <div className={css.acts}>
        <button type="button" onClick={() => setDialog('edit')}>
          Edit
        </button>
        <button type="button" onClick={() => setDialog('rename')}>
          Rename…
        </button>
        <button type="button" className="danger" onClick={() => setDialog('remove')}>
          Delete…
        </button>
      </div>
      <dl className={css.facts}>
        <dt>Stored</dt>
        <dd>
          version {secret.version}, <When wall={secret.updated} now={now} /> by <Untrusted text={secret.storedBy || 'nobody known'} />
        </dd>
        <dt>Expires</dt>
        <dd>
          <Expiry expires={secret.expires} now={now} />
        </dd>
        <dt>Tags</dt>
        <dd>{secret.tags.length === 0 ? <span className="soft">–</span> : <Tags tags={secret.tags} />}</dd>
        <dt>Last used</dt>
        <dd>{secret.lastUsed === null ? <span className="soft">never</span> : <When wall={secret.lastUsed} now={now} />}</dd>
        <dt>7 days</dt>
        <dd>
          {uses !== null && <Sparkline counts={used?.counts ?? uses.days.map(() => 0)} days={uses.days} />}
          {clients.length > 0 && (
            <ul className={css.clients}>
              {clients.map(({ name, calls }) => (
                <li key={name}>
                  {name} <span className="soft">{calls} ×</span>
                </li>
              ))}
            </ul>
          )}
          <a href={hashOf('audit', { q: `secret:${secret.name}` })}>Its calls in the audit log</a>
        </dd>
      </dl>
      <Versions secret={secret} now={now} />
      {dialog === 'edit' && <EditDialog secret={secret} onClose={() => setDialog(null)} onStored={() => {}} />}
      {dialog === 'rename' && <RenameDialog name={secret.name} onClose={() => setDialog(null)} onRenamed={choose} />}
      {dialog === 'remove' && <RemoveDialog secret={secret} clients={clients.map(({ name }) => name)} onClose={() => setDialog(null)} />}
    </aside>
  )
}
