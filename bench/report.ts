// The figures as text.

import { getGrowth, isMet, listGrowth, targetsOf, type Results, type Target } from './targets.ts'
import { fixed, serverRows } from './cells.ts'
import type { Point } from './growth.ts'

export function report(results: Results): string {
  const parts = [`${results.machine}, Node ${results.node}, ${results.mode}`]
  const { stdio, http, growth } = results
  if (stdio) {
    const head = ['over stdio', 'cold ms', 'discover', 'tools/list', 'call p50', 'p99 ms', 'calls/s', 'CPU µs', 'RSS', 'loaded', 'MB']
    parts.push(table([head, ...serverRows(stdio)]))
    const { get, parts: bare, withoutHost, hostCpuMicros } = stdio
    parts.push(
      [
        `our bridge without a host: ${withoutHost.coldMs.toFixed(1)} ms, discover ${withoutHost.discoverMs.toFixed(1)} ms`,
        `get_secret: p50 ${get.ms.toFixed(2)} ms, p99 ${get.p99Ms.toFixed(2)} ms, ${get.callsPerSecond.toFixed(0)}/s with 64 in flight`,
        `by themselves: fsync ${bare.fsyncMs.toFixed(2)} ms, keytar ${bare.keytarMs.toFixed(2)} ms, the floor's call ${bare.floorCallMs.toFixed(3)} ms`,
        `our host: ${hostCpuMicros.toFixed(0)} µs of CPU per recorded call`,
      ].join('\n'),
    )
  }
  if (http) {
    const head = ['over HTTP, 64 connections', 'calls/s', 'p50 ms', 'p99 ms', 'CPU µs', 'failed']
    const rows = http.map((one) => [
      one.title,
      fixed(one.perSecond, 0),
      fixed(one.p50, 1),
      fixed(one.p99, 1),
      fixed(one.cpuMicros, 0),
      fixed(one.failed, 0),
    ])
    parts.push(table([head, ...rows]))
  }
  if (growth) {
    const head = ['as it grows', 'get ms', 'list ms', 'keytar', 'get ×', 'list ×']
    const rows = (['secrets', 'clients', 'rows', 'sealed'] as const).flatMap((what) => growth[what].map((point) => grownRow(what, point)))
    parts.push(table([head, ...rows]))
  }
  parts.push(table([['target', 'figure', 'wanted', ''], ...targetsOf(results).map(targetRow)]))
  return parts.join('\n\n')
}

function grownRow(what: string, point: Point): string[] {
  const { at, get, list, keytar } = point
  return [
    `${at} ${what}`,
    fixed(get, 2),
    fixed(list, 2),
    fixed(keytar, 2),
    fixed(what === 'sealed' ? null : getGrowth(point), 2),
    fixed(listGrowth(point), 2),
  ]
}

function targetRow(target: Target): string[] {
  const { what, figure, unit, at, bound } = target
  const digits = unit === '/s' || unit === 'MB' || unit === 'ms' ? 0 : 2
  return [
    what,
    `${figure.toFixed(digits)} ${unit}`,
    `${at === 'most' ? '≤' : '≥'} ${bound} ${unit}`,
    isMet(target) ? 'reached' : 'not reached',
  ]
}

function table(rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows
    .map((row) =>
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart((widths[column] ?? 0) + 2))).join(''),
    )
    .join('\n')
}
