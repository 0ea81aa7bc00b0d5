import type { HttpState } from '../../../src-shared/rpc.ts'
import type { Settings } from '../../../src-shared/settings.ts'
import { NumberSetting } from './number-setting.tsx'
import { SwitchSetting } from './switch-setting.tsx'

interface Props {
  http: Settings['http']
  state: HttpState | null
  save: (http: Settings['http']) => Promise<boolean>
}

/** Off until a person switches it on. */
export function HttpSetting({ http, state, save }: Props) {
  return (
    <>
      <SwitchSetting
        label="MCP over HTTP"
        help="For programs on this computer that cannot start a command. Each needs a token of its own."
        on={http.enabled}
        save={(enabled) => save({ ...http, enabled })}
      />
      {http.enabled && (
        <NumberSetting
          label="Port"
          unit=""
          help="On 127.0.0.1 alone: nobody reaches it from another computer."
          min={1}
          max={65_535}
          value={http.port}
          save={(port) => save({ ...http, port })}
        />
      )}
      {state !== null && 'trouble' in state && (
        <p role="alert" className="fault">
          {state.trouble}
        </p>
      )}
      {state !== null && 'url' in state && (
        <p className="soft">
          Programs reach it at <code>{state.url}</code>
        </p>
      )}
    </>
  )
}
