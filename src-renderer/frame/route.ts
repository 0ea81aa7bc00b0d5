// The screen and its state are in the address, after the #: "#/audit?q=client%3Acursor". What is there can be linked to, goes
// with Back and Forward, and holds no value of a secret.

import { useMemo, useSyncExternalStore } from 'react'

/** In the order of the navigation. Welcome comes and goes, so it is last: nothing moves away from under the pointer. */
export const SCREEN_NAMES = ['audit', 'secrets', 'policies', 'clients', 'settings', 'welcome'] as const
export type ScreenName = (typeof SCREEN_NAMES)[number]

export interface Route {
  /** Null where the address names no screen. */
  screen: ScreenName | null
  params: URLSearchParams
}

type RouteParams = Record<string, string>

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = cutAt(hash.replace(/^#\/?/, ''), '?')
  return { screen: SCREEN_NAMES.find((name) => name === path) ?? null, params: new URLSearchParams(query) }
}

/** An empty parameter is left out. */
export function hashOf(screen: ScreenName, params: RouteParams = {}): string {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== '')).toString()
  return `#/${screen}${query === '' ? '' : `?${query}`}`
}

/** `replace` leaves no step to go back to: for what changes with every key. */
export function navigate(screen: ScreenName, params: RouteParams = {}, { replace = false }: { replace?: boolean } = {}): void {
  const hash = hashOf(screen, params)
  if (hash === location.hash) return
  if (replace) history.replaceState(null, '', hash)
  else history.pushState(null, '', hash)
  window.dispatchEvent(new Event('hashchange'))
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(onHash, () => location.hash)
  return useMemo(() => parseRoute(hash), [hash])
}

function onHash(listener: () => void): () => void {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

function cutAt(text: string, mark: string): string[] {
  const at = text.indexOf(mark)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
