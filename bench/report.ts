// The figures as text.

import { getGrowth, isMet, listGrowth, targetsOf, type Results, type Target } from './targets.ts'
import type { Point } from './growth.ts'

type Cell = string | number | null

export function report(results: Results): string {
  const parts = [`${results.machine}, Node ${results.node}, ${results.mode}`]
  const { stdio, http, growth } = results
  if (stdio) {
    const head = ['over stdio', 'cold ms', 'discover', 'tools/list', 'call p50', 'p99 ms', 'calls/s', 'CPU µs', 'RSS', 'loaded', 'MB']
    const rows = stdio.servers.map((one): Cell[] => [
      one.title,
      fixed(one.coldMs, 1),
      fixed(one.discoverMs, 1),
      fixed(one.toolsMs, 3),
      fixed(one.callMs, 3),
      fixed(one.callP99Ms, 2),
      fixed(one.callsPerSecond, 0),
      fixed(one.cpuMicros, 1),
      fixed(one.rssStart, 0),
      fixed(one.rssLoaded, 0),
      fixed(one.installMegabytes, 1),
    ])
    parts.push(table([head, ...rows]))
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
    const rows = http.map((one): Cell[] => [
      one.title,
      fixed(one.perSecond, 0),
      fixed(one.p50, 1),
      fixed(one.p99, 1),
      fixed(one.cpuMicros, 0),
      one.failed,
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

function grownRow(what: string, point: Point): Cell[] {
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

function targetRow(target: Target): Cell[] {
  const { what, figure, unit, at, bound } = target
  const digits = unit === '/s' || unit === 'MB' || unit === 'ms' ? 0 : 2
  return [
    what,
    `${figure.toFixed(digits)} ${unit}`,
    `${at === 'most' ? '≤' : '≥'} ${bound} ${unit}`,
    isMet(target) ? 'reached' : 'not reached',
  ]
}

const fixed = (value: number | null, digits: number): string | null => (value === null ? null : value.toFixed(digits))

function table(rows: Cell[][]): string {
  const text = rows.map((row) => row.map((cell) => String(cell ?? '')))
  const widths = text[0]?.map((_, column) => Math.max(...text.map((row) => row[column]?.length ?? 0))) ?? []
  return text
    .map((row) =>
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart((widths[column] ?? 0) + 2))).join(''),
    )
    .join('\n')
}
