import { useRef, useState, type DragEvent } from 'react'
import type { SecretInfo } from '../../../src-shared/secret.ts'
import { navigate, useRoute } from '../../frame/route.ts'
import { useSlowData } from '../../link/use-slow-data.ts'
import { useKeys } from '../../ui/keys.ts'
import { Empty, ScreenHead, Trouble } from '../../ui/screen.tsx'
import { useNow } from '../../ui/time.ts'
import { BackupDialog } from './backup-dialogs.tsx'
import { ClipboardNote } from './clipboard-note.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { IdentifyDialog } from './identify-dialog.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { MoreMenu } from './more-menu.tsx'
import { SecretDetail } from './secret-detail.tsx'
import { RestoreDialog } from './restore-dialog.tsx'
import { SecretTable } from './secret-table.tsx'
import css from './secrets-screen.module.css'

export type SecretsDialog = 'add' | 'import' | 'identify' | 'back up' | 'restore'

const REFRESH_MS = 10_000

export function SecretsScreen() {
  const { params } = useRoute()
  const query = params.get('q') ?? ''
  const { data: secrets, error } = useSlowData('secrets.list', {}, REFRESH_MS)
  const { data: uses } = useSlowData('secrets.uses', {}, REFRESH_MS)
  const [dialog, setDialog] = useState<SecretsDialog | null>(asDialog(params.get('do')))
  const [dropped, setDropped] = useState<File | null>(null)
  const [dragging, setDragging] = useState(false)
  const search = useRef<HTMLInputElement>(null)
  const now = useNow(15_000)
  const found = secrets?.filter((secret) => matchesQuery(secret, query)) ?? []
  const chosen = secrets?.find(({ name }) => name === params.get('name')) ?? null

  const go = (name: string, q = query) => navigate('secrets', { name, q }, { replace: true })
  const step = (by: number) => {
    const at = found.findIndex(({ name }) => name === chosen?.name)
    const next = found[at < 0 ? (by > 0 ? 0 : found.length - 1) : Math.min(found.length - 1, Math.max(0, at + by))]
    if (next !== undefined) go(next.name)
  }
  useKeys({
    '/': () => search.current?.focus(),
    n: () => setDialog('add'),
    i: () => setDialog('import'),
    j: () => step(1),
    ArrowDown: () => step(1),
    k: () => step(-1),
    ArrowUp: () => step(-1),
    Escape: () => go(''),
  })

  const close = () => {
    setDialog(null)
    setDropped(null)
    if (params.has('do')) go(chosen?.name ?? '')
  }
  const drop = (event: DragEvent) => {
    const [file] = event.dataTransfer.files
    setDragging(false)
    if (file === undefined) return
    event.preventDefault()
    setDropped(file)
    setDialog('import')
  }
  const dragOver = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setDragging(true)
  }

  return (
    <div
      className={chosen === null ? css.screen : css.split}
      onDragOver={dragOver}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setDragging(false)
      }}
      onDrop={drop}
    >
      <div className={css.list}>
        <ScreenHead title="Secrets">
          <input
            ref={search}
            type="search"
            className={css.search}
            placeholder="Search names and tags"
            aria-label="Search names and tags"
            value={query}
            onChange={(event) => go(chosen?.name ?? '', event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') event.currentTarget.blur()
            }}
          />
          <button type="button" onClick={() => setDialog('import')}>
            Import .env
          </button>
          <MoreMenu choose={setDialog} />
          <button type="button" className={secrets?.length === 0 ? undefined : 'primary'} onClick={() => setDialog('add')}>
            Add secret
          </button>
        </ScreenHead>
        <Trouble error={error} />
        {chosen === null && <ClipboardNote />}
        {secrets !== null && secrets.length === 0 && <NoSecrets add={() => setDialog('add')} />}
        {secrets !== null && secrets.length > 0 && found.length === 0 && (
          <Empty
            title="No secret is called so"
            action={
              <button type="button" onClick={() => go(chosen?.name ?? '', '')}>
                Clear the search
              </button>
            }
          >
            The search looks at names and tags.
          </Empty>
        )}
        {found.length > 0 && <SecretTable secrets={found} uses={uses} chosen={chosen?.name ?? null} now={now} choose={go} />}
      </div>
      {chosen !== null && (
        <SecretDetail key={chosen.name} secret={chosen} uses={uses} now={now} close={() => go('')} choose={(name) => go(name, '')} />
      )}
      {dragging && <p className={css.drop}>Drop a .env to import it</p>}
      {dialog === 'add' && <EditDialog secret={null} onClose={close} onStored={(name) => go(name, '')} />}
      {dialog === 'import' && <ImportDialog file={dropped} secrets={secrets ?? []} onClose={close} />}
      {dialog === 'identify' && <IdentifyDialog onClose={close} choose={(name) => go(name, '')} />}
      {dialog === 'back up' && <BackupDialog onClose={close} />}
      {dialog === 'restore' && <RestoreDialog onClose={close} />}
    </div>
  )
}

function NoSecrets({ add }: { add: () => void }) {
  return (
    <Empty
      title="No secrets yet"
      action={
        <button type="button" className="primary" onClick={add}>
          Add secret
        </button>
      }
    >
      Keys, tokens and passwords will be listed here with who used them and when. Their values stay in the keychain. You can also drop a
      .env on this page.
    </Empty>
  )
}

function matchesQuery({ name, tags }: SecretInfo, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/)
  const text = [name, ...tags].join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}

/** What another screen can ask to be done here at once. */
function asDialog(text: string | null): SecretsDialog | null {
  return text === 'add' || text === 'import' ? text : null
}
