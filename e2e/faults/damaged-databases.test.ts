// Bits flipped where nobody wrote, and a journal that belongs to somebody else: found or harmless, never a wrong answer.

import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chance } from '../crash/random.ts'
import { flipBit, makeHistory, type History } from './history.ts'
import { judge, type Finding, type Judged } from './judging.ts'
import { observed, times } from './observed.ts'

const seed = Number(process.env['FAULTS_SEED'] ?? 7)
const FLIPS = times(2, 20)

let history: History
const lastWork: (() => Promise<void> | void)[] = []

beforeAll(async () => {
  history = await makeHistory((work) => void lastWork.unshift(work))
}, 120_000)

afterAll(async () => {
  for (const work of lastWork) await work()
})

test.each(['audit.db', 'vault.db', 'sealed.db'])(
  'a flipped bit in any page of %s is found or harmless, and the host starts again after it',
  { timeout: 60_000 + FLIPS * 30_000 },
  async (file) => {
    history.restore()
    const { below } = chance(seed, file)
    const pages = Math.ceil(statSync(path.join(history.home, file)).size / 4096)
    const judged: Judged[] = []
    for (let n = 0; n < FLIPS; n++) {
      history.restore()
      const [page, bit] = [below(pages), below(4096 * 8)]
      flipBit(path.join(history.home, file), page, bit)
      const found = await judge(history).catch((error: unknown) => {
        throw new Error(`seed ${seed}, flip ${n} of ${file}: page ${page}, bit ${bit}`, { cause: error })
      })
      judged.push(found)
      // The second start finds what the first one left.
      if (n === 0 || found.finding === 'not started') await judge(history)
    }
    const counts: Partial<Record<Finding, number>> = {}
    for (const { finding } of judged) counts[finding] = (counts[finding] ?? 0) + 1
    observed({
      fault: `flipped bits in ${file}`,
      clientSaw: [...new Set(judged.map(({ saw }) => saw))],
      tookMs: Math.max(...judged.map(({ startMs }) => startMs)),
      limitMs: 5000,
      kept: 'every value that was given out was the right one; every policy was one a person made; what looked sound was the same row by row',
      flips: FLIPS,
      pages,
      found: counts,
      seed,
    })
    expect(judged).toHaveLength(FLIPS)
  },
)

test('the journal of another folder beside ours is found or harmless', { timeout: 120_000 }, async () => {
  const other = await makeHistory()
  const host = await other.start()
  const person = await other.enter(host)
  for (let n = 0; n < 5; n++) await person.ask('secrets.store', { name: `foreign/${n}`, value: 'of another' })
  await person.ask('policies.save', { name: 'dev', description: 'only dev', allow: ['*'], deny: [], reads: 'always' })
  await host.stop('SIGKILL')
  for (const file of ['audit.db', 'vault.db']) {
    const journal = path.join(other.home, `${file}-wal`)
    expect(existsSync(journal) && readFileSync(journal).length > 4096, 'a kill leaves a journal').toBe(true)
    history.restore()
    copyFileSync(journal, path.join(history.home, `${file}-wal`))
    const { finding, saw, startMs } = await judge(history)
    const again = await judge(history)
    observed({
      fault: `foreign journal beside ${file}`,
      clientSaw: [saw],
      tookMs: startMs,
      limitMs: 5000,
      kept: 'nothing of the other folder was believed',
      found: finding,
      foundAgain: again.finding,
    })
  }
})
