import type { ClientInfo } from '../../../src-shared/rpc.ts'
import { showUntrusted } from '../../../src-shared/untrusted.ts'
import type { HostLink } from '../../link/host-link.ts'
import { useLink } from '../../link/use-host.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { useAction } from '../../ui/use-action.ts'

export type ClientAct = 'rotate' | 'forget program' | 'revoke'

interface Words {
  title: (name: string) => string
  verb: string
  text: string
  run: (link: HostLink, id: string) => Promise<unknown>
}

const ACTS: Record<ClientAct, Words> = {
  rotate: {
    title: (name) => `Give ${name} a new key?`,
    verb: 'Make a new key',
    text: 'Its bridge finds the new key by itself the next time it connects. The old key stays good until the new one has been used; then it is worth nothing.',
    run: (link, id) => link.call('clients.rotate', { id }),
  },
  'forget program': {
    title: (name) => `Forget the program of ${name}?`,
    verb: 'Forget program',
    text: 'Do this after an update moved the program. It is disconnected, and the next program that you allow something becomes the one expected behind this client. Until then its requests come with a warning.',
    run: (link, id) => link.call('clients.forgetProgram', { id }),
  },
  revoke: {
    title: (name) => `Revoke ${name}?`,
    verb: 'Revoke',
    text: 'It is disconnected at once, its open requests are refused, and its key and grants are gone for good. The entry in its own config file stays until you take it out; with it, it is refused.',
    run: (link, id) => link.call('clients.revoke', { id }),
  },
}

export function ClientConfirm({ client, act, onClose }: { client: ClientInfo; act: ClientAct; onClose: () => void }) {
  const link = useLink()
  const action = useAction()
  const { title, verb, text, run } = ACTS[act]
  return (
    <Confirm
      title={title(showUntrusted(client.name))}
      verb={verb}
      busy={action.busy}
      error={action.error}
      onClose={onClose}
      onConfirm={() => void action.run(() => run(link, client.id)).then((done) => done && onClose())}
    >
      <p>{text}</p>
    </Confirm>
  )
}
