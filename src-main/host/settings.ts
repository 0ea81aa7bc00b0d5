import {
  DEFAULT_SETTINGS,
  settingsSchema,
  someSettingsSchema,
  STRICTEST_SETTINGS,
  type Settings,
  type SomeSettings,
} from '../../src-shared/settings.ts'
import { Refusal } from './errors.ts'
import type { Rows } from './rows.ts'

const ROW = 'settings'

/** One row holds them all; what it lacks is the default. A row that another program touched counts for nothing wider than the strictest. */
export function openSettings(rows: Rows) {
  const stored = someSettingsSchema.safeParse(rows.get('setting', ROW) ?? {})
  let current = merge(DEFAULT_SETTINGS, stored.success ? stored.data : {})
  const isRefused = (): boolean => !rows.intact || rows.refused.some(({ kind, id }) => kind === 'setting' && id === ROW)
  return {
    get: (): Settings => {
      if (!isRefused()) return current
      // With the acknowledgement the row is dropped, so what counts then is what the next start will find.
      if (rows.get('setting', ROW) === null) current = DEFAULT_SETTINGS
      return STRICTEST_SETTINGS
    },
    set: (changes: SomeSettings): Settings => {
      // Written now, the row would be ours again, and nobody would have seen that it was not.
      if (isRefused()) throw new Refusal('Another program changed the settings; acknowledge the alarm first, then change them')
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
