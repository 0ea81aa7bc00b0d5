import { expect, it } from 'vitest'
import { createClosing } from './closing.ts'

it('parts are closed from the last to the first, each once', async () => {
  const closed: string[] = []
  const closing = createClosing()
  for (const part of ['file', 'log', 'vault']) closing.add(() => closed.push(part))
  await closing.close()
  await closing.close()
  expect(closed).toEqual(['vault', 'log', 'file'])
})

it('a part that fails to close keeps no other open, and the failure is told at the end', async () => {
  const closed: string[] = []
  const closing = createClosing()
  closing.add(() => closed.push('lock'))
  closing.add(() => Promise.reject(new Error('the disk is full')))
  closing.add(() => closed.push('socket'))
  await expect(closing.close()).rejects.toThrow('the disk is full')
  expect(closed).toEqual(['socket', 'lock'])
})
