import { useEffect, useRef } from 'react'
import { useHostData } from '../link/use-host.ts'
import css from './frame.module.css'
import { useFirstRun } from './first-run.ts'
import { KeysDialog } from './keys-dialog.tsx'
import { Navigation } from './navigation.tsx'
import { Notices } from './notices.tsx'
import { navigate, parseRoute, useRoute, type ScreenName } from './route.ts'
import { SCREENS } from './screens.tsx'
import { useScreenKeys } from './use-screen-keys.ts'
import { VaultState } from './vault-state.tsx'

const STATUS_EVENTS = ['changed', 'approvals'] as const

/** What is around every screen: where one can go, what is wrong, and who waits. */
export function Frame({ connected, leave }: { connected: boolean; leave: (() => void) | null }) {
  const { data: status } = useHostData('status', {}, STATUS_EVENTS)
  const isOpen = status?.state === 'open'
  const waiting = status?.waiting ?? 0
  useEffect(() => {
    document.title = waiting === 0 ? 'Countersign' : `(${waiting}) Countersign`
  }, [waiting])

  return (
    <div className={css.frame}>
      {isOpen && (
        <a className={css.skip} href={location.hash} onClick={(event) => skip(event.nativeEvent)}>
          Skip to the screen
        </a>
      )}
      {isOpen ? <Rooms status={status} connected={connected} leave={leave} /> : null}
      {!isOpen && (
        <div className={css.body}>
          <Notices connected={connected} status={status} />
          {status !== null && <VaultState status={status} />}
        </div>
      )}
    </div>
  )
}

/** The link's own address would take the place of the screen's. */
function skip(event: Event): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#screen')?.focus()
}

interface RoomsProps {
  status: NonNullable<ReturnType<typeof useHostData<'status'>>['data']>
  connected: boolean
  leave: (() => void) | null
}

function Rooms({ status, connected, leave }: RoomsProps) {
  const screen = useScreen()
  const keys = useRef<HTMLDialogElement>(null)
  const showKeys = () => keys.current?.showModal()
  useScreenKeys(showKeys)
  const shown = screen === null ? undefined : SCREENS[screen]
  const Component = shown?.Component

  return (
    <>
      <Navigation screen={screen} status={status} leave={leave} showKeys={showKeys} />
      <div className={css.body}>
        <Notices connected={connected} status={status} />
        {status.waiting > 0 && screen !== 'audit' && <WaitingElsewhere count={status.waiting} />}
        <main id="screen" className={css.screen} tabIndex={-1} aria-label={shown?.label}>
          {Component !== undefined && <Component />}
        </main>
      </div>
      <KeysDialog ref={keys} screen={shown} />
    </>
  )
}

function WaitingElsewhere({ count }: { count: number }) {
  return (
    <div className={css.waiting} role="status">
      <p>{count === 1 ? 'A client waits for your answer.' : `${count} requests wait for your answer.`}</p>
      <button type="button" className="primary" onClick={() => navigate('audit')}>
        Answer
      </button>
    </div>
  )
}

/** The screen of the address; where it names none, the welcome page while there is something left to do there. */
function useScreen(): ScreenName | null {
  const { screen } = useRoute()
  const firstRun = useFirstRun()
  const home = firstRun === null ? null : firstRun && SCREENS.welcome !== undefined ? 'welcome' : 'audit'
  const known = screen !== null && SCREENS[screen] !== undefined ? screen : null
  useEffect(() => {
    // The address may have changed already, with its event still to come: where somebody has gone, they stay.
    if (known === null && home !== null && parseRoute(location.hash).screen === null) navigate(home, {}, { replace: true })
  }, [known, home])
  return known
}
