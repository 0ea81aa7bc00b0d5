// npm run reliability:report: writes docs/reliability.md from what the machines measured, and names what nobody has measured.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { missing, readFigures, type Figures } from './reliability-figures.ts'
import { pageOf } from './reliability-page.ts'

const docs = path.join(import.meta.dirname, '..', 'docs')
const keptFile = path.join(docs, 'reliability.json')
// Written by this script alone.
const kept = existsSync(keptFile) ? (JSON.parse(readFileSync(keptFile, 'utf8')) as Figures) : null
const figures = readFigures(undefined, kept)
const { text, unexplained } = pageOf(figures)
writeFileSync(keptFile, `${JSON.stringify(figures, null, 2)}\n`)
writeFileSync(path.join(docs, 'reliability.md'), text)
for (const section of missing(figures)) console.error(`Not measured: ${section}`)
for (const promise of unexplained) console.error(`Not kept, and nobody has said why: ${promise}`)
if (unexplained.length > 0) process.exitCode = 1
