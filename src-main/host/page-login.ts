// What the vault keeps for the page's login.

import { firstPinFrom, noteDesktop, type FirstPin } from './first-pin.ts'
import type { Journal } from './journal.ts'
import { openPin } from './login.ts'
import { openLoginTries } from './login-tries.ts'
import type { Rows } from './rows.ts'
import type { Vault } from './vault/vault.ts'

export interface PageLoginParts {
  rows: Rows
  vault: Vault
  journal: Journal
  /** This host has windows of its own. */
  isDesktop: boolean
  changed: () => void
}

export function openPageLogin({ rows, vault, journal, isDesktop, changed }: PageLoginParts) {
  if (isDesktop) noteDesktop(rows)
  return { pin: openPin(rows), tries: openLoginTries(rows, journal, changed), firstPin: (): FirstPin => firstPinFrom(rows, vault) }
}
