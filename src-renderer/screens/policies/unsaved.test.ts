import { expect, test } from 'vitest'
import { NEW_POLICY } from './draft.ts'
import { keepUnsaved, unsavedOf } from './unsaved.ts'

const work = { ...NEW_POLICY, name: 'work', allow: ['work/*'] }
const home = { ...NEW_POLICY, name: 'home' }

test('an edit is kept under the policy it belongs to, and forgotten once it is what is saved', () => {
  const edited = { ...work, deny: ['work/db-*'] }
  keepUnsaved(work, edited)
  expect(unsavedOf(work)).toEqual(edited)
  expect(unsavedOf(home)).toBeNull()
  keepUnsaved(edited, edited)
  expect(unsavedOf(work)).toBeNull()
})

test('a new policy is kept apart from all others, whatever name is being typed for it', () => {
  keepUnsaved(null, work)
  expect(unsavedOf(null)).toEqual(work)
  expect(unsavedOf(work)).toBeNull()
  keepUnsaved(null, NEW_POLICY)
  expect(unsavedOf(null)).toBeNull()
})
