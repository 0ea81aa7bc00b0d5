// One line per screen. The navigation follows the order of SCREEN_NAMES, whatever the order here.

import type { ComponentType } from 'react'
import { AuditScreen } from '../screens/audit/audit-screen.tsx'
import { AUDIT_KEYS } from '../screens/audit/keys.ts'
import { ClientsScreen } from '../screens/clients/clients-screen.tsx'
import { CLIENTS_KEYS } from '../screens/clients/keys.ts'
import { POLICIES_KEYS } from '../screens/policies/keys.ts'
import { PoliciesScreen } from '../screens/policies/policies-screen.tsx'
import { SECRETS_KEYS } from '../screens/secrets/keys.ts'
import { SecretsScreen } from '../screens/secrets/secrets-screen.tsx'
import { SettingsScreen } from '../screens/settings/settings-screen.tsx'
import { WelcomeScreen } from '../screens/welcome/welcome-screen.tsx'
import { AuditIcon, ClientsIcon, PoliciesIcon, SecretsIcon, SettingsIcon, WelcomeIcon } from '../ui/icons.tsx'
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
  welcome: { label: 'Welcome', Icon: WelcomeIcon, key: 'w', Component: WelcomeScreen },
  audit: { label: 'Audit', Icon: AuditIcon, key: 'a', Component: AuditScreen, keys: AUDIT_KEYS },
  secrets: { label: 'Secrets', Icon: SecretsIcon, key: 's', Component: SecretsScreen, keys: SECRETS_KEYS },
  policies: { label: 'Policies', Icon: PoliciesIcon, key: 'p', Component: PoliciesScreen, keys: POLICIES_KEYS },
  clients: { label: 'Clients', Icon: ClientsIcon, key: 'c', Component: ClientsScreen, keys: CLIENTS_KEYS },
  settings: { label: 'Settings', Icon: SettingsIcon, key: 't', Component: SettingsScreen },
}
