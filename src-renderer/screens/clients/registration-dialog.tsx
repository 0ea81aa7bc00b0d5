import { useState } from 'react'
import { DEFAULT_POLICY } from '../../../src-shared/policy.ts'
import type { FilePreview, RegistrationAct, RegistrationInfo } from '../../../src-shared/registration.ts'
import { useHostData, useLink } from '../../link/use-host.ts'
import { CopyText } from '../../ui/copy-text.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { useAction } from '../../ui/use-action.ts'
import { PolicyField } from './policy-field.tsx'
import css from './registration-dialog.module.css'

interface Props {
  info: RegistrationInfo
  act: RegistrationAct
  policies: readonly string[]
  onClose: () => void
}

const CHANGES = ['changed'] as const

const TITLES: Record<RegistrationAct, (name: string) => string> = {
  add: (name) => `Add Countersign to ${name}`,
  repair: (name) => `Repair the entry in ${name}`,
  remove: (name) => `Remove Countersign from ${name}`,
}
const VERBS: Record<RegistrationAct, string> = { add: 'Add', repair: 'Repair', remove: 'Remove' }

/** Shows exactly what would change in the client's own file, before it does. */
export function RegistrationDialog({ info, act, policies, onClose }: Props) {
  const link = useLink()
  const action = useAction()
  const { data: files, error } = useHostData('registrations.preview', { client: info.id, act }, CHANGES)
  const [policy, setPolicy] = useState(info.policy ?? DEFAULT_POLICY.name)
  const isBlocked = files === null || files.some(({ trouble }) => trouble !== null)

  async function confirm(): Promise<void> {
    const client = info.id
    const done = await action.run(() => {
      switch (act) {
        case 'add':
          return link.call('registrations.add', { client, policy })
        case 'repair':
          return link.call('registrations.repair', { client })
        case 'remove':
          return link.call('registrations.remove', { client })
      }
    })
    if (done) onClose()
  }

  return (
    <Dialog title={TITLES[act](info.name)} wide onClose={onClose}>
      <div className={css.text}>
        {act === 'add' && !isBlocked && <PolicyField policies={policies} chosen={policy} choose={setPolicy} />}
        {files?.map((file) => (
          <File key={file.path} file={file} />
        ))}
        {act === 'remove' && <p className="soft">Its key and its grants go too.</p>}
        {info.forgetful && info.running === true && (
          <p className={css.warn}>
            {info.name} is running and writes this file from memory. Quit it first; otherwise the entry may be lost and put back.
          </p>
        )}
        {!isBlocked && <p className="soft">A sealed backup is kept. {act === 'remove' ? '' : info.after}</p>}
        {(error ?? action.error) !== null && (
          <p role="alert" className="fault">
            {error ?? action.error}
          </p>
        )}
      </div>
      <DialogButtons onCancel={onClose} cancel={isBlocked && files !== null ? 'Close' : 'Cancel'}>
        {!isBlocked && (
          <button type="button" className={act === 'remove' ? 'danger' : 'primary'} disabled={action.busy} onClick={() => void confirm()}>
            {VERBS[act]}
          </button>
        )}
      </DialogButtons>
    </Dialog>
  )
}

const DOES: Record<FilePreview['does'], string> = {
  nothing: 'stays as it is',
  create: 'will be made',
  change: 'will change by these lines',
  delete: 'will be removed, as it was made for this',
}

function File({ file: { path, does, diff, trouble, warning, snippet } }: { file: FilePreview }) {
  return (
    <section className={css.file}>
      <p>
        <code>
          <Untrusted text={path} max={300} />
        </code>{' '}
        {trouble === null ? DOES[does] : 'cannot be changed'}
      </p>
      {trouble !== null && (
        <>
          <p role="alert" className="fault">
            {trouble.line !== null && `Line ${trouble.line}, column ${trouble.column}: `}
            {trouble.message}. It was left as it is.
          </p>
          <p>Mend the file, or put this in by hand:</p>
          <CopyText label="Entry" text={snippet} />
        </>
      )}
      {warning !== null && <p className={css.warn}>! {warning}</p>}
      {diff !== '' && (
        <pre className={css.diff} tabIndex={0} aria-label={`Changes to ${path}`}>
          {diff.split('\n').map((line, index) => (
            // Lines of a diff have no other identity than their place.
            <span key={index} className={line.startsWith('+') ? css.added : line.startsWith('-') ? css.removed : undefined}>
              {line}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
    </section>
  )
}
