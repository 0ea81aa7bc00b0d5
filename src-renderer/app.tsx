import { useEffect, useEffectEvent, useState } from 'react'
import { Frame } from './frame/frame.tsx'
import { createElectronLink } from './link/electron-link.ts'
import type { HostLink } from './link/host-link.ts'
import { LinkContext, useLinkState } from './link/use-host.ts'
import { createWebSocketLink } from './link/web-socket-link.ts'
import { Login } from './login/login.tsx'
import { Unreachable } from './login/unreachable.tsx'
import { logOut, readSession, type Session } from './session.ts'
import type { LoginMode } from '../src-shared/login.ts'

/** Where the person stands: before the door, at the desk, or with nobody at home. */
export type Place = { is: 'door'; mode: LoginMode } | { is: 'desk'; link: HostLink; leaves: boolean } | { is: 'nowhere' }

export async function arrive(): Promise<Place> {
  // The one choice of a way to the host. A window of the desktop is the person's own: there is no door to pass.
  if (window.countersign !== undefined) return { is: 'desk', link: createElectronLink(window.countersign), leaves: false }
  return readSession().then(placeOf, () => ({ is: 'nowhere' }))
}

function placeOf({ mode, loggedIn }: Session): Place {
  return loggedIn ? { is: 'desk', link: createWebSocketLink(), leaves: true } : { is: 'door', mode }
}

export function App({ first }: { first: Place }) {
  const [place, setPlace] = useState(first)

  async function comeAgain(): Promise<void> {
    if (place.is === 'desk') place.link.close()
    setPlace(await arrive())
  }

  async function leave(): Promise<void> {
    await logOut().catch(() => null) // What then is, the next look tells.
    await comeAgain()
  }

  switch (place.is) {
    case 'nowhere':
      return <Unreachable again={() => void comeAgain()} />
    case 'door':
      return <Login mode={place.mode} onSession={(session) => setPlace(placeOf(session))} again={() => void comeAgain()} />
    case 'desk':
      return (
        <LinkContext value={place.link}>
          <AtDesk link={place.link} leave={place.leaves ? () => void leave() : null} onLoggedOut={() => void comeAgain()} />
        </LinkContext>
      )
  }
}

function AtDesk({ link, leave, onLoggedOut }: { link: HostLink; leave: (() => void) | null; onLoggedOut: () => void }) {
  const state = useLinkState(link)
  const loggedOut = useEffectEvent(onLoggedOut)
  useEffect(() => {
    if (state === 'logged out') loggedOut()
  }, [state])
  return <Frame connected={state === 'open'} leave={leave} />
}
