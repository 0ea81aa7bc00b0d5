// npm run reliability:report: writes docs/reliability.md from what the machines measured, and names what nobody has measured.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { missing, readFigures } from './reliability-figures.ts'
import { pageOf } from './reliability-page.ts'

const file = path.join(import.meta.dirname, '..', 'docs', 'reliability.md')
const figures = readFigures()
const { text, unexplained } = pageOf(figures)
writeFileSync(file, text)
for (const section of missing(figures)) console.error(`Not measured: ${section}`)
for (const promise of unexplained) console.error(`Not kept, and nobody has said why: ${promise}`)
if (unexplained.length > 0) process.exitCode = 1
