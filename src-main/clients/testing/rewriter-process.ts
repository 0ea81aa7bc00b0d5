// Another program that has the same file: it reads it, adds a key of its own, and writes it back, at random moments, until it is told
// to stop. argv: file, 'rename' | 'in place', seconds. Says at the end how many keys it wrote, and what it found broken or gone.

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const [file = '', how = '', seconds = '1'] = process.argv.slice(2)
const end = performance.now() + Number(seconds) * 1000
const lost: string[] = []
let count = 0

while (performance.now() < end) {
  await wait(5 + Math.random() * 120)
  const text = readFileSync(file, 'utf8')
  const config = JSON.parse(text) as Record<string, unknown>
  for (let key = 1; key <= count; key++) if (config[`theirs${key}`] !== key) lost.push(`theirs${key}`)
  config[`theirs${++count}`] = count
  const next = `${JSON.stringify(config, null, 2)}\n`
  if (how === 'rename') {
    writeFileSync(`${file}.theirs`, next)
    renameSync(`${file}.theirs`, file)
  } else writeFileSync(file, next)
}
process.stdout.write(`${JSON.stringify({ count, lost: [...new Set(lost)] })}\n`)
