import { useState } from 'react'
import { useHostData, useLink } from '../../link/use-host.ts'
import { useAction } from '../../ui/use-action.ts'
import { Setting } from './setting.tsx'

const NEVER = [] as const

/** Not there where nobody can arrange it. */
export function StartAtLogin() {
  const link = useLink()
  const action = useAction()
  const shell = useHostData('shell.state', {}, NEVER).data
  const [chosen, setChosen] = useState<boolean | null>(null)
  const isOn = chosen ?? shell?.autostart ?? null
  if (isOn === null) return null

  return (
    <Setting label="Start at login" help="Countersign waits in the tray, so that clients find it.">
      <label>
        <input
          type="checkbox"
          checked={isOn}
          disabled={action.busy}
          onChange={(event) => {
            const on = event.target.checked
            void action.run(async () => setChosen((await link.call('shell.autostart', { on })).autostart))
          }}
        />
        Start at login
      </label>
      {action.error !== null && (
        <p role="alert" className="fault">
          {action.error}
        </p>
      )}
    </Setting>
  )
}
