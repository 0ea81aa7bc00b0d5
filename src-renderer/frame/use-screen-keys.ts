import { useEffect, useEffectEvent, useRef } from 'react'
import { useKeys, type KeyMap } from '../ui/keys.ts'
import { navigate, SCREEN_NAMES } from './route.ts'
import { SCREENS } from './screens.tsx'

const CHORD_MS = 1500

/** `g` and a letter, or Ctrl and a digit (where a browser does not keep that for its tabs), go to a screen; `?` shows the keys. */
export function useScreenKeys(showKeys: () => void): void {
  const since = useRef(-Infinity)
  const go = useEffectEvent((event: KeyboardEvent) => {
    const digit = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey ? Number(event.key) : Number.NaN
    const name = SCREEN_NAMES.filter((screen) => screen !== 'welcome')[digit - 1]
    if (name === undefined || SCREENS[name] === undefined) return
    event.preventDefault()
    navigate(name)
  })
  useEffect(() => {
    document.addEventListener('keydown', go)
    return () => document.removeEventListener('keydown', go)
  }, [])

  // The second key of a chord comes before whatever it means to the screen.
  const chord = useEffectEvent((event: KeyboardEvent) => {
    const isChord = performance.now() - since.current < CHORD_MS && !event.ctrlKey && !event.metaKey && !event.altKey
    if (!isChord || event.key === 'Shift') return
    since.current = -Infinity
    const name = SCREEN_NAMES.find((screen) => SCREENS[screen]?.key === event.key)
    if (name === undefined) return
    event.preventDefault()
    event.stopPropagation()
    navigate(name)
  })
  useEffect(() => {
    document.addEventListener('keydown', chord, { capture: true })
    return () => document.removeEventListener('keydown', chord, { capture: true })
  }, [])

  useKeys({
    g: () => {
      since.current = performance.now()
    },
    '?': showKeys,
  } satisfies KeyMap)
}
