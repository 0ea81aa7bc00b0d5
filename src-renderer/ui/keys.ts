import { useEffect, useEffectEvent } from 'react'

/** By `event.key`, for plain keys: those with Ctrl, Alt or Meta belong to the browser. */
export type KeyMap = Partial<Record<string, (event: KeyboardEvent) => void>>

/** Keys that act while nobody types and no dialog is open. */
export function useKeys(keys: KeyMap): void {
  const struck = useEffectEvent((event: KeyboardEvent) => {
    const act = keys[event.key]
    if (act === undefined || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return
    event.preventDefault()
    act(event)
  })
  useEffect(() => {
    document.addEventListener('keydown', struck)
    return () => document.removeEventListener('keydown', struck)
  }, [])
}

function isTaken({ isComposing, target, key }: KeyboardEvent): boolean {
  if (isComposing || document.querySelector('dialog[open], [popover]:popover-open') !== null) return true
  if (!(target instanceof Element)) return false
  // Among choices the arrows choose.
  if (target.matches('input[type=radio]') && key.startsWith('Arrow')) return true
  return target.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=button])')
}
