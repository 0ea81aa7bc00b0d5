import type { DesktopSystem } from '../../src-shared/keychain-help.ts'

const { userAgent } = navigator

/** What this window runs on; a page is nearly always looked at where its host runs. */
export const system: DesktopSystem = userAgent.includes('Mac') ? 'mac' : userAgent.includes('Windows') ? 'windows' : 'linux'
