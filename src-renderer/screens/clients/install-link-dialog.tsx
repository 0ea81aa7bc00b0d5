import { useState } from 'react'
import { DEFAULT_POLICY } from '../../../src-shared/policy.ts'
import type { RegistrationInfo } from '../../../src-shared/registration.ts'
import { useLink } from '../../link/use-host.ts'
import { CopyText } from '../../ui/copy-text.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { useAction } from '../../ui/use-action.ts'
import { PolicyField } from './policy-field.tsx'
import css from './registration-dialog.module.css'

interface Props {
  info: RegistrationInfo
  /** The link as it is now: it names the registration once there is one. */
  installLink: string
  policies: readonly string[]
  onClose: () => void
}

/** The second way in: the client writes its file itself, after it has asked the person. */
export function InstallLinkDialog({ info, installLink, policies, onClose }: Props) {
  const link = useLink()
  const action = useAction()
  const [policy, setPolicy] = useState(DEFAULT_POLICY.name)
  const isRegistered = info.policy !== null

  return (
    <Dialog title={`Let ${info.name} add Countersign`} wide onClose={onClose}>
      <div className={css.text}>
        {isRegistered ? (
          <>
            <p>
              Open this link, say in the address bar of a browser. {info.name} shows the entry and asks you before it writes it into its own
              file.
            </p>
            <CopyText label="Install link" text={installLink} />
            <p className="soft">The link holds no key. {info.after}</p>
          </>
        ) : (
          <>
            <p>
              Countersign registers {info.name} and gives you a link; the file is written by {info.name} itself, when you agree there.
            </p>
            <PolicyField policies={policies} chosen={policy} choose={setPolicy} />
          </>
        )}
        {action.error !== null && (
          <p role="alert" className="fault">
            {action.error}
          </p>
        )}
      </div>
      <DialogButtons onCancel={onClose} cancel={isRegistered ? 'Done' : 'Cancel'}>
        {!isRegistered && (
          <button
            type="button"
            className="primary"
            disabled={action.busy}
            onClick={() => void action.run(() => link.call('clients.register', { id: info.id, name: info.name, policy }))}
          >
            Register
          </button>
        )}
      </DialogButtons>
    </Dialog>
  )
}
