import type { HostStatus } from '../../src-shared/rpc.ts'
import { ExitIcon, KeysIcon, StoreIcon } from '../ui/icons.tsx'
import { Mark } from '../ui/mark.tsx'
import { useFirstRun } from './first-run.ts'
import css from './navigation.module.css'
import { PauseMenu } from './pause-menu.tsx'
import { hashOf, SCREEN_NAMES, type ScreenName } from './route.ts'
import { SCREENS } from './screens.tsx'

const STORES = {
  keychain: { label: 'OS keychain', title: 'Secrets are items in the keychain of this computer.' },
  sealed: { label: 'Sealed vault', title: 'Secrets are in a file sealed with your passphrase.' },
}

interface Props {
  screen: ScreenName | null
  status: HostStatus
  leave: (() => void) | null
  showKeys: () => void
}

export function Navigation({ screen, status, leave, showKeys }: Props) {
  const firstRun = useFirstRun()
  const listed = SCREEN_NAMES.filter((name) => name !== 'welcome' || firstRun === true || screen === 'welcome')
  const store = STORES[status.store]

  return (
    <nav className={css.side} aria-label="Screens">
      <h1 className={css.brand}>
        <Mark /> <span>Countersign</span>
      </h1>
      <ul className={css.screens}>
        {listed.map((name) => {
          const entry = SCREENS[name]
          if (entry === undefined) return null
          const { label, Icon, key } = entry
          return (
            <li key={name}>
              <a href={hashOf(name)} aria-current={name === screen ? 'page' : undefined} title={`${label} (g ${key})`}>
                <Icon />
                <span className={css.label}>{label}</span>
                {name === 'audit' && status.waiting > 0 && (
                  <span className={css.count}>
                    {status.waiting}
                    <span className="unseen"> waiting for an answer</span>
                  </span>
                )}
              </a>
            </li>
          )
        })}
      </ul>
      <div className={css.foot}>
        <p className={css.store} title={store.title}>
          <StoreIcon />
          <span className={css.label}>{store.label}</span>
        </p>
        <PauseMenu paused={status.paused !== null} />
        <button type="button" className={css.item} title="Keys (?)" onClick={showKeys}>
          <KeysIcon />
          <span className={css.label}>Keys</span>
        </button>
        {leave !== null && (
          <button type="button" className={css.item} title="Log out" onClick={leave}>
            <ExitIcon />
            <span className={css.label}>Log out</span>
          </button>
        )}
      </div>
    </nav>
  )
}
