// The figures in the README and in docs/benchmark.md, between marks, so that they are always those of the last full run.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fixed, serverRows } from './cells.ts'
import { getGrowth, isMet, listGrowth, targetsOf, type Results, type Target } from './targets.ts'

const root = path.join(import.meta.dirname, '..')

export function writePages(results: Results): void {
  const targets = targetsOf(results)
  // What grows stands in a picture there.
  const short = targets.filter(({ what }) => !what.includes('over when empty') && !what.startsWith('CPU'))
  fill('README.md', 'targets', table(['', 'measured', 'aim'], short.map(targetRow)))
  fill('docs/benchmark.md', 'machine', `${results.when.slice(0, 10)}, ${results.machine}, Node ${results.node}.`)
  fill(
    'docs/benchmark.md',
    'targets',
    table(
      ['', 'measured', 'aim', ''],
      targets.map((one) => [...targetRow(one), isMet(one) ? 'reached' : 'not reached']),
    ),
  )
  fill('docs/benchmark.md', 'stdio', stdioTable(results))
  fill('docs/benchmark.md', 'http', httpTable(results))
  fill('docs/benchmark.md', 'growth', growthTable(results))
}

function fill(file: string, mark: string, text: string): void {
  const place = path.join(root, file)
  const page = readFileSync(place, 'utf8')
  const [begin, end] = [`<!-- bench: ${mark} -->`, '<!-- bench: end -->']
  const from = page.indexOf(begin)
  const to = page.indexOf(end, from)
  if (from === -1 || to === -1) throw new Error(`${file} has no place for ${mark}`)
  writeFileSync(place, `${page.slice(0, from)}${begin}\n${text}\n${page.slice(to)}`)
}

function targetRow({ what, figure, unit, at, bound }: Target): string[] {
  const digits = unit === '/s' || unit === 'MB' || unit === 'ms' ? 0 : 2
  const shown = (value: number, places: number) =>
    `${value.toLocaleString('en', { minimumFractionDigits: places, maximumFractionDigits: places })} ${unit}`
  return [what, shown(figure, digits), `${at === 'most' ? 'at most' : 'at least'} ${bound.toLocaleString('en')} ${unit}`]
}

function stdioTable({ stdio }: Results): string {
  if (stdio === null) return ''
  const head = [
    '',
    'cold ms',
    '`server/discover` ms',
    '`tools/list` ms',
    'call ms',
    'call p99 ms',
    'calls/s',
    'CPU µs',
    'RSS MB',
    'RSS after load',
    'installed MB',
  ]
  const { get, parts, withoutHost, hostCpuMicros } = stdio
  return [
    table(head, serverRows(stdio)),
    '',
    `The bridge without a host: ${fixed(withoutHost.coldMs, 1)} ms, with \`server/discover\` ${fixed(withoutHost.discoverMs, 1)} ms. ` +
      `The host behind it takes ${fixed(hostCpuMicros, 0)} µs of CPU per recorded call. ` +
      `\`get_secret\`: p50 ${fixed(get.ms, 2)} ms, p99 ${fixed(get.p99Ms, 2)} ms, ${fixed(get.callsPerSecond, 0)} a second with 64 in flight. ` +
      `By themselves: fsync ${fixed(parts.fsyncMs, 2)} ms, a bare keytar read ${fixed(parts.keytarMs, 2)} ms, the floor's call ${fixed(parts.floorCallMs, 3)} ms.`,
  ].join('\n')
}

function httpTable({ http }: Results): string {
  const head = ['', 'calls/s', 'p50 ms', 'p99 ms', 'CPU µs']
  return table(
    head,
    (http ?? []).map((one) => [one.title, fixed(one.perSecond, 0), fixed(one.p50, 1), fixed(one.p99, 1), fixed(one.cpuMicros, 0)]),
  )
}

function growthTable({ growth }: Results): string {
  const rows = (['secrets', 'clients', 'rows', 'sealed'] as const).flatMap((what) =>
    (growth?.[what] ?? []).map((point) => [
      `${point.at.toLocaleString('en')} ${what === 'sealed' ? 'secrets in a sealed vault' : what}`,
      fixed(point.get, 2),
      fixed(point.keytar, 2),
      what === 'sealed' ? '' : fixed(getGrowth(point), 2),
      fixed(point.list, 2),
      fixed(listGrowth(point), 2),
    ]),
  )
  return table(['', 'get ms', 'keytar alone ms', 'get ×', 'list ms', 'list ×'], rows)
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n')
}
