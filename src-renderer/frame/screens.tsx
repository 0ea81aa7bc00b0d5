// One line per screen. The navigation follows the order of SCREEN_NAMES, whatever the order here.

import type { ComponentType } from 'react'
import { AuditScreen } from '../screens/audit/audit-screen.tsx'
import { AUDIT_KEYS } from '../screens/audit/keys.ts'
import { AuditIcon } from '../ui/icons.tsx'
import type { ScreenName } from './route.ts'

export interface Screen {
  label: string
  Icon: ComponentType
  /** After `g`. */
  key: string
  Component: ComponentType
  /** What its own keys do, for the list behind `?`. */
  keys?: readonly (readonly [keys: string, does: string])[]
}

export const SCREENS: Partial<Record<ScreenName, Screen>> = {
  audit: { label: 'Audit', Icon: AuditIcon, key: 'a', Component: AuditScreen, keys: AUDIT_KEYS },
}
