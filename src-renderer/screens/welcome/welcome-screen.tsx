import type { ReactNode } from 'react'
import { CLI_CLIENT_ID, PRACTICE } from '../../../src-shared/client.ts'
import { hashOf } from '../../frame/route.ts'
import { useHostData } from '../../link/use-host.ts'
import { Trouble } from '../../ui/screen.tsx'
import { showUntrusted } from '../../../src-shared/untrusted.ts'
import { Practice } from './practice.tsx'
import css from './welcome-screen.module.css'

const CHANGES = ['changed', 'names'] as const
const AUDIT = ['audit'] as const
const NONE: never[] = []

/** Three steps that tick themselves. */
export function WelcomeScreen() {
  const secrets = useHostData('secrets.list', {}, CHANGES)
  const clients = useHostData('clients.list', {}, CHANGES)
  const practised = useHostData('audit.query', { filter: { client: [PRACTICE] }, limit: 4 }, AUDIT)
  const store = useHostData('status', {}, CHANGES).data?.store === 'sealed' ? 'the sealed vault' : 'the keychain'
  const registered = clients.data?.filter(({ id }) => id !== CLI_CLIENT_ID) ?? NONE
  const seen = registered.filter(({ lastSeen }) => lastSeen !== null)
  const waited = seen.length === 0 ? registered[0] : undefined
  const count = secrets.data?.length ?? 0
  const rows = practised.data?.rows ?? NONE
  const done = [count > 0, seen.length > 0, rows.some(({ event }) => event === 'call')]

  return (
    <div className={css.screen}>
      <header>
        <h2>Welcome to Countersign</h2>
        <p className="soft">
          AI clients ask here for your keys. Policies decide what they see, you countersign every change, and every call is on record.
        </p>
      </header>
      <Trouble error={secrets.error ?? clients.error ?? practised.error} />
      <ol className={css.steps}>
        <Step
          number={1}
          done={done[0] === true}
          title="Add a secret"
          text={
            count > 0
              ? `There ${count === 1 ? 'is one secret' : `are ${count} secrets`} in your vault.`
              : `A key, a token, a password: its value goes into ${store}, and no client sees it unless a policy says so.`
          }
        >
          <a className={done[0] === true ? css.quiet : css.action} href={hashOf('secrets', { do: 'add' })}>
            Add secret
          </a>
          <a className={css.quiet} href={hashOf('secrets', { do: 'import' })}>
            Import .env
          </a>
        </Step>
        <Step
          number={2}
          done={done[1] === true}
          title="Connect a client"
          text={
            seen.length > 0
              ? `${list(seen.map(({ name }) => showUntrusted(name, 30)))} ${seen.length === 1 ? 'has' : 'have'} been here.`
              : waited === undefined
                ? 'Claude Desktop, Cursor or any other program that speaks MCP. It gets a registration and a policy of its own.'
                : `${showUntrusted(waited.name, 30)} is registered. Start it: this step ticks itself when it comes for the first time.`
          }
        >
          {waited === undefined && (
            <a className={done[1] === true || done[0] !== true ? css.quiet : css.action} href={hashOf('clients')}>
              Choose an installed client
            </a>
          )}
          <a className={css.quiet} href={waited === undefined ? hashOf('clients', { do: 'register' }) : hashOf('clients')}>
            {waited === undefined ? (seen.length === 0 ? 'Register a client' : 'Register another') : 'How to connect it'}
          </a>
        </Step>
        <Step
          number={3}
          done={done[2] === true}
          title="Try it"
          text="A practice request asks you something, like a client would. Whatever you answer, nothing is stored and nothing is shown; the answer becomes the first entries of your log."
        >
          <Practice isNext={done[0] === true && done[1] === true && done[2] !== true} rows={rows} />
        </Step>
      </ol>
      {done.every(Boolean) && (
        <p className={css.finished} role="status">
          That is all. From now on the <a href={hashOf('audit')}>audit log</a> shows what your clients do, and asks you when they want more.
        </p>
      )}
    </div>
  )
}

const list = (names: string[]) => new Intl.ListFormat('en').format(names)

interface StepProps {
  number: number
  done: boolean
  title: string
  text: string
  children: ReactNode
}

function Step({ number, done, title, text, children }: StepProps) {
  return (
    <li className={done ? css.done : css.step}>
      <span className={css.tick} aria-hidden="true">
        {done ? '✓' : number}
      </span>
      <div>
        <h3>
          {title}
          <span className="unseen">{done ? ' (done)' : ' (to do)'}</span>
        </h3>
        <p className="soft">{text}</p>
        <div className={css.acts}>{children}</div>
      </div>
    </li>
  )
}
