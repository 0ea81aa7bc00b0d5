// What a person can do about a keychain that is locked or not there.

export type DesktopSystem = 'linux' | 'mac' | 'windows'

const UNLOCK: Record<DesktopSystem, string> = {
  linux:
    'Unlock the login keyring: log out of the desktop and in again, or open Passwords and Keys (GNOME) or KWalletManager (KDE) and unlock it there.',
  mac: 'Open Keychain Access and unlock the login keychain.',
  windows: 'Sign out of Windows and in again.',
}

const FIND: Record<DesktopSystem, string> = {
  linux:
    'Start a keyring service (gnome-keyring or KWallet) in the session that Countersign runs in. Over SSH and in a container there usually is none.',
  mac: 'Log in at the screen of this Mac: a session over SSH has no keychain that is open.',
  windows: 'Start the service Credential Manager (VaultSvc), or sign out of Windows and in again.',
}

/** Said of the trouble by the keychain's own adapter; each of these has another cure. */
const MISSING_PARTS: [said: RegExp, help: string][] = [
  [/libsecret is not installed/, 'Install libsecret; on Debian and Ubuntu: sudo apt-get install libsecret-1-0'],
  [/keytar is not installed/, 'Install Countersign anew, so that keytar comes with it; in a clone: npm ci'],
]

/** The next step, given the sentence that tells the trouble. */
export function keychainHelp(system: DesktopSystem, trouble: string): string {
  const missing = MISSING_PARTS.find(([said]) => said.test(trouble))
  if (missing !== undefined) return missing[1]
  return /is locked|waiting to be unlocked/.test(trouble) ? UNLOCK[system] : FIND[system]
}

/** Where nothing more is known than that it does not open. */
export function keychainHelps(system: DesktopSystem): string[] {
  return [UNLOCK[system], FIND[system]]
}
