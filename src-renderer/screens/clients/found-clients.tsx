import { useState } from 'react'
import type { RegistrationAct, RegistrationInfo, RegistrationState, TrialReport } from '../../../src-shared/registration.ts'
import { useHostData, useLink } from '../../link/use-host.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Trouble } from '../../ui/screen.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { useAction } from '../../ui/use-action.ts'
import css from './found-clients.module.css'
import { InstallLinkDialog } from './install-link-dialog.tsx'
import { PlaintextList } from './plaintext-list.tsx'
import { RegistrationDialog } from './registration-dialog.tsx'
import { TrialSteps } from './trial-steps.tsx'

const CHANGES = ['changed'] as const

/** The AI clients that are on this computer, and how our entry stands in their own files. */
export function FoundClients({ policies }: { policies: readonly string[] }) {
  const { data, error } = useHostData('registrations.list', {}, CHANGES)
  const found = data?.filter(({ state }) => state !== 'absent') ?? []
  if (found.length === 0) return <Trouble error={error} />
  return (
    <section className={css.found} aria-labelledby="found-clients">
      <h2 id="found-clients">On this computer</h2>
      <Trouble error={error} />
      <ul>
        {found.map((info) => (
          <li key={info.id}>
            <FoundClient info={info} policies={policies} />
          </li>
        ))}
      </ul>
      <PlaintextList />
    </section>
  )
}

const STATES: Record<RegistrationState, { mark: string; word: string; tone: Tone }> = {
  absent: { mark: '–', word: 'not here', tone: 'quiet' },
  detected: { mark: '○', word: 'not registered', tone: 'quiet' },
  registered: { mark: '✓', word: 'registered', tone: 'good' },
  vanished: { mark: '!', word: 'entry vanished', tone: 'warn' },
  changed: { mark: '≠', word: 'entry changed', tone: 'warn' },
  broken: { mark: '✕', word: 'file not readable', tone: 'bad' },
}

function FoundClient({ info, policies }: { info: RegistrationInfo; policies: readonly string[] }) {
  const link = useLink()
  const action = useAction()
  const [act, setAct] = useState<RegistrationAct | null>(null)
  const [linking, setLinking] = useState(false)
  const [trial, setTrial] = useState<TrialReport | null>(null)
  const { mark, word, tone } = STATES[info.state]
  const latest = info.backups.at(-1)

  return (
    <article className={css.client} aria-label={info.name}>
      <div className={css.what}>
        <h3>{info.name}</h3>
        <Badge tone={tone} glyph={mark}>
          {word}
        </Badge>
        {info.files.map(({ path, trouble }) => (
          <p key={path} className="soft">
            <code>
              <Untrusted text={path} max={200} />
            </code>
            {trouble !== null && (
              <>
                {trouble.line !== null && ` line ${trouble.line}, column ${trouble.column}`}: {trouble.message}
              </>
            )}
          </p>
        ))}
        {info.givenUp && <p className={css.told}>It keeps removing our entry. Quit it, then repair.</p>}
      </div>
      <div className={css.acts}>
        {info.state === 'registered' && (
          <button
            type="button"
            disabled={action.busy}
            onClick={() => void action.run(async () => setTrial(await link.call('registrations.test', { client: info.id })))}
          >
            {action.busy ? 'Testing…' : 'Test'}
          </button>
        )}
        {info.installLink !== null && (info.state === 'detected' || info.state === 'broken') && (
          <button type="button" title={`${info.name} then writes its file itself, and asks you first`} onClick={() => setLinking(true)}>
            Install link…
          </button>
        )}
        {actsOf(info).map((each) => (
          <button key={each} type="button" onClick={() => setAct(each)}>
            {WORDS[each]}…
          </button>
        ))}
        {info.state === 'registered' && latest !== undefined && (
          <button
            type="button"
            title="Puts the file back as it was before the last change, if nobody changed it since"
            disabled={action.busy}
            onClick={() => void action.run(() => link.call('registrations.undo', { backup: latest.id }))}
          >
            Undo
          </button>
        )}
      </div>
      {action.error !== null && (
        <p role="alert" className="fault">
          {action.error}
        </p>
      )}
      {trial !== null && <TrialSteps report={trial} />}
      {act !== null && <RegistrationDialog info={info} act={act} policies={policies} onClose={() => setAct(null)} />}
      {linking && info.installLink !== null && (
        <InstallLinkDialog info={info} installLink={info.installLink} policies={policies} onClose={() => setLinking(false)} />
      )}
    </article>
  )
}

const WORDS: Record<RegistrationAct, string> = { add: 'Add', repair: 'Repair', remove: 'Remove' }

function actsOf({ state, policy }: RegistrationInfo): RegistrationAct[] {
  switch (state) {
    case 'detected':
    case 'broken':
      return ['add']
    case 'registered':
      return ['remove']
    case 'vanished':
    case 'changed':
      return policy === null ? ['add', 'remove'] : ['repair', 'remove']
    case 'absent':
      return []
  }
}
