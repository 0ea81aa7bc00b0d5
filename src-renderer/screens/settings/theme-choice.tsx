import { useId, useState } from 'react'
import { chooseTheme, readTheme, THEMES, type Theme } from '../../ui/theme.ts'
import { Setting } from './setting.tsx'

const LABELS: Record<Theme, string> = { system: 'As the system', light: 'Light', dark: 'Dark' }

export function ThemeChoice() {
  const name = useId()
  const [theme, setTheme] = useState(readTheme)
  return (
    <Setting label="Theme" help="Kept in this browser or window alone.">
      <fieldset aria-label="Theme">
        {THEMES.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name={name}
              checked={theme === one}
              onChange={() => {
                chooseTheme(one)
                setTheme(one)
              }}
            />
            {LABELS[one]}
          </label>
        ))}
      </fieldset>
    </Setting>
  )
}
