import { DEFAULT_SETTINGS, settingsSchema, someSettingsSchema, type Settings, type SomeSettings } from '../../src-shared/settings.ts'
import type { Rows } from './rows.ts'

const ROW = 'settings'

/** One row holds them all; what it lacks, and a row that is not ours, is the default. */
export function openSettings(rows: Rows) {
  const stored = someSettingsSchema.safeParse(rows.get('setting', ROW) ?? {})
  let current = merge(DEFAULT_SETTINGS, stored.success ? stored.data : {})
  return {
    get: (): Settings => current,
    set: (changes: SomeSettings): Settings => {
      current = merge(current, changes)
      rows.put('setting', ROW, current)
      return current
    },
  }
}

function merge(settings: Settings, changes: SomeSettings): Settings {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return settingsSchema.parse({ ...settings, ...Object.fromEntries(given) })
}
