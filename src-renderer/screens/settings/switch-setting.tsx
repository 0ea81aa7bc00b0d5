import { Setting } from './setting.tsx'

interface Props {
  label: string
  help: string
  on: boolean
  save: (on: boolean) => Promise<boolean>
}

export function SwitchSetting({ label, help, on, save }: Props) {
  return (
    <Setting label={label} help={help}>
      <label>
        <input type="checkbox" checked={on} onChange={(event) => void save(event.target.checked)} />
        <span className="unseen">{label}: </span>
        {on ? 'On' : 'Off'}
      </label>
    </Setting>
  )
}
