import { expect, test } from 'vitest'
import { openTestHost } from './testing/test-host.ts'

test('where there is no desktop, its controls say so and nothing of it can be asked for', async () => {
  const { window } = await openTestHost()
  expect(await window('shell.state')).toEqual({ autostart: null, clipboard: false, fileDialogs: false })
  await window('secrets.store', { name: 'a/b', value: 'sentinel' })
  const refused = 'There is no desktop around Countersign to do this; it runs headless'
  await expect(window('shell.autostart', { on: true })).rejects.toThrow(refused)
  await expect(window('shell.copy', { text: 'x' })).rejects.toThrow(refused)
  await expect(window('shell.chooseFile', { mode: 'save' })).rejects.toThrow(refused)
  await expect(window('secrets.copy', { name: 'a/b' })).rejects.toThrow(refused)
  const { rows } = await window('audit.query', { filter: { event: ['secret.revealed', 'autostart.changed'] } })
  expect(rows).toEqual([])
})
