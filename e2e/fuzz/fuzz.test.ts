// Any bytes at every door: everything that ever broke something, and a few new inputs. `npm run fuzz` goes on for as long as it is told.

import { expect, onTestFinished, test } from 'vitest'
import { isLong } from '../support/long-tests.ts'
import { fuzz } from './campaign.ts'
import { targets } from './targets/index.ts'

/** Printed with every failure; the inputs that broke something are in the corpus as well. */
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261)

test.each(targets)('$name: no input crashes, hangs, misleads or betrays', { timeout: 120_000 }, async (target) => {
  const runs = isLong ? 10 * target.fewRuns : target.fewRuns
  const { broken, inputs } = await fuzz(target, { seed, until: { runs }, atEnd: onTestFinished })
  expect(broken, `seed ${seed}`).toEqual([])
  expect(inputs).toBeGreaterThanOrEqual(runs)
})
