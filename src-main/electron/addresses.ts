// countersign://audit and the like: addresses that other programs may open. One brings the window up at a screen; there is nothing
// else that one could say, and whatever is not one of these to the letter is not looked at.

import { SCREENS, type Screen } from './main-window.ts'

export const SCHEME = 'countersign'

/** The screen that the first address among them names. */
export function screenAsked(words: readonly string[]): Screen | undefined {
  for (const word of words) {
    const screen = SCREENS.find((name) => word === `${SCHEME}://${name}` || word === `${SCHEME}://${name}/`)
    if (screen !== undefined) return screen
  }
  return undefined
}
