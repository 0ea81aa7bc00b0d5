import { expect, onTestFinished, test } from 'vitest'
import { crowd, SMALL_CROWD } from './crowd.ts'
import { newSheet } from './sheet.ts'

test('a crowd that asks all at once is answered, each call once, rightly, and on record without a gap', async () => {
  const sheet = newSheet()
  await crowd(sheet, onTestFinished, SMALL_CROWD)
  expect(sheet.broken).toEqual([])
  expect(sheet.rows.find(({ measure }) => measure === 'answered as they should be')?.measured).toBe('600')
})
