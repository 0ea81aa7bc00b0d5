// Edits of policies that are not saved yet. They outlive the editor, so that a look at another screen loses nothing; they do not
// outlive the window.

import { useSyncExternalStore } from 'react'
import { isSame, NEW_POLICY } from './draft.ts'
import type { Policy } from '../../../src-shared/policy.ts'

/** By the name of the saved policy; a new one has none yet. */
let unsaved: ReadonlyMap<string, Policy> = new Map()
const listeners = new Set<() => void>()

export function unsavedOf(saved: Policy | null): Policy | null {
  return unsaved.get(keyOf(saved)) ?? null
}

/** What differs from the saved one is kept, anything else is forgotten. */
export function keepUnsaved(saved: Policy | null, edited: Policy): void {
  const next = new Map(unsaved)
  if (isSame(saved ?? NEW_POLICY, edited)) next.delete(keyOf(saved))
  else next.set(keyOf(saved), edited)
  unsaved = next
  for (const listener of listeners) listener()
}

/** The names of the policies with edits that are not saved. */
export function useUnsaved(): ReadonlySet<string> {
  return new Set(useSyncExternalStore(subscribe, () => unsaved).keys())
}

function keyOf(saved: Policy | null): string {
  return (saved ?? NEW_POLICY).name
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
