// npm run fuzz -- --minutes N [--target name] [--seed N]: hostile input for as long as you like. The time is shared out among the
// targets. What breaks something is put into the corpus, and from then on is part of every test run.

import { parseArgs } from 'node:util'
import { writeFigures } from '../support/report.ts'
import { fuzz, type Campaign } from './campaign.ts'
import { targets } from './targets/index.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, target: { type: 'string', multiple: true }, seed: { type: 'string' } },
})
const minutes = Number(values.minutes)
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const chosen = targets.filter(({ name }) => values.target === undefined || values.target.includes(name))
if (!(minutes > 0) || !Number.isSafeInteger(seed) || chosen.length === 0) {
  console.error(`usage: npm run fuzz -- --minutes N [--target ${targets.map(({ name }) => name).join('|')}] [--seed N]`)
  process.exit(64)
}

console.log(`seed ${seed}, ${minutes} min for ${chosen.map(({ name }) => name).join(', ')}`)
const campaigns: Campaign[] = []
for (const target of chosen) {
  const work: (() => Promise<void> | void)[] = []
  const share = (minutes * 60_000) / chosen.length
  try {
    const campaign = await fuzz(target, { seed, until: { time: performance.now() + share }, atEnd: (last) => work.unshift(last) })
    campaigns.push(campaign)
    tell(campaign)
  } finally {
    for (const last of work) await last()
  }
}
writeFigures('fuzz', { seed, minutes, campaigns })
process.exitCode = campaigns.some(({ broken }) => broken.length > 0) ? 1 : 0

function tell({ target, inputs, reactions, reached, slowestMs, broken }: Campaign): void {
  const reach = reached === null ? '' : `, ${reached} pieces of code`
  console.log(`${target}: ${inputs} inputs, ${reactions} reactions${reach}, slowest ${slowestMs.toFixed(0)} ms, ${broken.length} broken`)
  for (const { error, file } of broken) console.log(`  ${error}\n  ${file}`)
}
