// Light or dark, where a person wants it otherwise than the system does. Kept in this browser or window alone.

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'theme'

export function readTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system'
  } catch {
    // A browser that keeps nothing for us follows the system.
    return 'system'
  }
}

/** Now, and whenever another window of ours chooses. */
export function followTheme(): void {
  applyTheme(readTheme())
  window.addEventListener('storage', () => applyTheme(readTheme()))
}

function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme)
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // It holds until the page is closed.
  }
}
