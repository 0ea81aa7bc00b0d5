import { useHostData, useLink } from '../../link/use-host.ts'
import type { SomeSettings } from '../../../src-shared/settings.ts'
import { ScreenHead, Trouble } from '../../ui/screen.tsx'
import { useAction } from '../../ui/use-action.ts'
import { ChangePin } from './change-pin.tsx'
import { Diagnostics } from './diagnostics.tsx'
import { HttpSetting } from './http-setting.tsx'
import { NumberSetting } from './number-setting.tsx'
import { PagePin } from './page-pin.tsx'
import { Retention } from './retention.tsx'
import css from './settings-screen.module.css'
import { StartAtLogin } from './start-at-login.tsx'
import { SwitchSetting } from './switch-setting.tsx'
import { ThemeChoice } from './theme-choice.tsx'

const CHANGES = ['changed'] as const

export function SettingsScreen() {
  const link = useLink()
  const action = useAction()
  const { data: settings, error } = useHostData('settings.get', {}, CHANGES)
  const status = useHostData('status', {}, CHANGES).data
  const set = (changes: SomeSettings) => action.run(() => link.call('settings.set', changes))
  const isDesktop = window.countersign !== undefined
  // A window of the desktop is the person's own and asks for no PIN; where the vault is sealed, its passphrase is asked for instead.
  const hasPin = !isDesktop && status?.store === 'keychain'

  return (
    <div className={css.screen}>
      <ScreenHead title="Settings" />
      <Trouble error={action.error ?? error} />
      {settings !== null && (
        <>
          <section>
            <h3>Asking you</h3>
            <NumberSetting
              label="A call waits for your answer"
              unit="seconds"
              help="Then the client is told to ask you and to repeat the call. Most clients give up after 60 seconds."
              min={5}
              max={290}
              value={settings.waitSeconds}
              save={(waitSeconds) => set({ waitSeconds })}
            />
            <NumberSetting
              label="A request stays open"
              unit="minutes"
              help="A request that nobody answers expires, and that is a denial."
              min={1}
              max={60}
              value={settings.promptMinutes}
              save={(promptMinutes) => set({ promptMinutes })}
            />
          </section>
          {isDesktop && (
            <section>
              <h3>Desktop</h3>
              <StartAtLogin />
              <SwitchSetting
                label="Notify me"
                help="A notification of the desktop tells of each request, beside the prompt."
                on={settings.notifications}
                save={(notifications) => set({ notifications })}
              />
              <SwitchSetting
                label="Lock on sleep"
                help="When the screen is locked or the computer sleeps, grants that are not for always end."
                on={settings.lockOnSleep}
                save={(lockOnSleep) => set({ lockOnSleep })}
              />
            </section>
          )}
          <section>
            <h3>Audit log</h3>
            <Retention days={settings.retentionDays} save={(retentionDays) => set({ retentionDays })} />
          </section>
          <section>
            <h3>Limits for each client</h3>
            <NumberSetting
              label="Calls"
              unit="a second"
              help="Over it, a call is refused at once with a clear error."
              min={1}
              max={100_000}
              value={settings.callsPerSecond}
              save={(callsPerSecond) => set({ callsPerSecond })}
            />
            <NumberSetting
              label="Calls in a burst"
              unit="calls"
              help="So many may come at once after a quiet while."
              min={1}
              max={100_000}
              value={settings.callBurst}
              save={(callBurst) => set({ callBurst })}
            />
            <NumberSetting
              label="Calls in flight"
              unit="calls"
              help="So many may wait for their answers at the same time."
              min={1}
              max={10_000}
              value={settings.callsInFlight}
              save={(callsInFlight) => set({ callsInFlight })}
            />
          </section>
          <section>
            <h3>HTTP</h3>
            <HttpSetting http={settings.http} state={status?.http ?? null} save={(http) => set({ http })} />
          </section>
        </>
      )}
      <section>
        <h3>Appearance</h3>
        <ThemeChoice />
      </section>
      {isDesktop && status?.store === 'keychain' && (
        <section>
          <h3>PIN of the web page</h3>
          <PagePin />
        </section>
      )}
      {hasPin && (
        <section>
          <h3>PIN of this page</h3>
          <ChangePin />
        </section>
      )}
      <section>
        <h3>Diagnostics</h3>
        <Diagnostics />
      </section>
    </div>
  )
}
