import type { SecretInfo } from '../../../src-shared/secret.ts'
import { useLink } from '../../link/use-host.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { useAction } from '../../ui/use-action.ts'

interface Props {
  secret: SecretInfo
  /** Who read it in the last days, by name. */
  clients: readonly string[]
  onClose: () => void
}

export function RemoveDialog({ secret, clients, onClose }: Props) {
  const link = useLink()
  const action = useAction()
  return (
    <Confirm
      title={`Delete ${secret.name}?`}
      verb="Delete"
      busy={action.busy}
      error={action.error}
      onClose={onClose}
      onConfirm={() => void action.run(() => link.call('secrets.remove', { name: secret.name })).then((done) => done && onClose())}
    >
      <p>
        {clients.length === 0
          ? 'No client read it in the last 7 days.'
          : `${list(clients)} read it in the last 7 days and will be told that it is not found.`}
      </p>
      <p>The value and its former versions are deleted for good. What happened with it stays in the audit log.</p>
    </Confirm>
  )
}

const list = (names: readonly string[]) => new Intl.ListFormat('en').format(names)
