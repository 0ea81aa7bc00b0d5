// Who may set the first PIN of the page. On a folder that holds nothing, whoever comes first: there is nothing to protect yet. On
// any other the PIN has to come from the person, or a program with a shell could start a host on it and let itself in.

import { isDeepStrictEqual } from 'node:util'
import { CLI_CLIENT_ID } from '../../src-shared/client.ts'
import { DEFAULT_POLICY } from '../../src-shared/policy.ts'
import { diskTrouble } from './disk-trouble.ts'
import type { Rows } from './rows.ts'
import type { Vault } from './vault/vault.ts'

/** `code`: whoever reads what the host prints to its own terminal. `window`: the desktop's window, once there was one. */
export type FirstPin = 'anybody' | 'code' | 'window'

const DESKTOP_ROW = 'desktop'

export function firstPinFrom(rows: Rows, vault: Pick<Vault, 'names'>): FirstPin {
  // A program can give itself a terminal, but not the window of the person.
  if (rows.get('setting', DESKTOP_ROW) !== null) return 'window'
  return holdsAnything(rows, vault) ? 'code' : 'anybody'
}

/** A desktop has this folder open: from now on its window is where the person is. */
export function noteDesktop(rows: Rows): void {
  if (rows.get('setting', DESKTOP_ROW) !== null) return
  try {
    rows.put('setting', DESKTOP_ROW, true)
  } catch (error) {
    // The next start notes it; a disk without room must not keep this one from serving.
    if (diskTrouble(error) === null) throw error
  }
}

function holdsAnything(rows: Rows, vault: Pick<Vault, 'names'>): boolean {
  return (
    vault.names().length > 0 ||
    rows.list('grant').length > 0 ||
    rows.list('client').some(({ id }) => id !== CLI_CLIENT_ID) ||
    rows.list('policy').some(({ body }) => !isDeepStrictEqual(body, DEFAULT_POLICY)) ||
    rows.get('setting', 'settings') !== null
  )
}
