// What the figures must show, as ratios of one run.

import type { Growth, Point } from './growth.ts'
import type { HttpFigures } from './over-http.ts'
import type { OverStdio, StdioFigures } from './over-stdio.ts'

export interface Results {
  when: string
  machine: string
  node: string
  mode: 'quick' | 'full'
  stdio: OverStdio | null
  http: HttpFigures[] | null
  growth: Growth | null
}

export interface Target {
  what: string
  figure: number
  unit: '×' | '/s' | 'MB' | 's' | 'ms'
  /** The side on which the figure should be. */
  at: 'most' | 'least'
  bound: number
  /** What fails the gate: a good deal further off, because a machine that others use is a noisy one. Null: it does not. */
  gate: number | null
}

export const isMet = ({ figure, at, bound }: Target): boolean => (at === 'most' ? figure <= bound : figure >= bound)
export const isBroken = ({ figure, at, gate }: Target): boolean => gate !== null && !(at === 'most' ? figure <= gate : figure >= gate)

export function targetsOf({ stdio, http, growth }: Results): Target[] {
  return [...(stdio ? stdioTargets(stdio) : []), ...(http ? httpTargets(http) : []), ...(growth ? growthTargets(growth) : [])]
}

function stdioTargets({ servers, withoutHost, get, parts }: OverStdio): Target[] {
  const server = (id: string): StdioFigures => {
    const found = servers.find((one) => one.id === id)
    if (found === undefined) throw new Error(`there are no figures of ${id}`)
    return found
  }
  const [ours, floor] = [server('ours'), server('floor')]
  const slow = ['sdk1', 'sdk2', 'memory', 'bitwarden'].map(server)
  const fastest = slow.reduce((a, b) => (a.coldMs < b.coldMs ? a : b))
  const ratio = (what: string, figure: number, bound: number, gate: number): Target => ({
    what,
    figure,
    unit: '×',
    at: 'most',
    bound,
    gate,
  })
  const budget = 2 * parts.fsyncMs + parts.keytarMs + parts.floorCallMs
  return [
    ratio('cold start, host running, over the floor', ours.coldMs / floor.coldMs, 1.25, 1.6),
    ratio('cold start with server/discover, over the floor', (ours.discoverMs ?? 0) / (floor.discoverMs ?? 0), 1.25, 1.6),
    ratio('cold start, no host, over the floor', withoutHost.coldMs / floor.coldMs, 1.25, 1.6),
    { what: `cold start, ${fastest.title} over ours`, figure: fastest.coldMs / ours.coldMs, unit: '×', at: 'least', bound: 5, gate: 2.5 },
    ratio('tools/list, over the floor', (ours.toolsMs ?? 0) / (floor.toolsMs ?? 0), 1.5, 2.5),
    ratio('get_secret, over two fsyncs + keytar + the floor', get.ms / budget, 1.3, 2),
    { what: 'recorded calls, 64 in flight', figure: ours.callsPerSecond ?? 0, unit: '/s', at: 'least', bound: 2000, gate: null },
    ratio('memory of the bridge, over the floor', (ours.rssStart ?? 0) / (floor.rssStart ?? 0), 1.15, 1.4),
    ratio('memory of the bridge after a flood, over the floor', (ours.rssLoaded ?? 0) / (floor.rssLoaded ?? 0), 1.15, 2),
  ]
}

function httpTargets(http: HttpFigures[]): Target[] {
  const server = (id: string) => http.find((one) => one.id === id)
  const [ours, sdk1] = [server('ours'), server('sdk1')]
  if (!ours || !sdk1) throw new Error('there are no figures over HTTP')
  const least = (what: string, figure: number, gate: number | null): Target => ({ what, figure, unit: '×', at: 'least', bound: 5, gate })
  return [
    least('HTTP tools/call, over SDK v1 on express', ours.perSecond / sdk1.perSecond, null),
    // What others do on the machine changes this one least.
    least('CPU per HTTP call, SDK v1 on express over ours', sdk1.cpuMicros / ours.cpuMicros, 2),
  ]
}

/** Of the call itself, without what the keychain takes at that size. */
export const getGrowth = ({ get, baseGet, keytar }: Point): number => (get - keytar) / (baseGet - keytar)
export const listGrowth = ({ list, baseList }: Point): number => list / baseList

function growthTargets({ secrets, clients, rows, full }: Growth): Target[] {
  const last = [
    ['secrets', secrets.at(-1)],
    ['clients', clients.at(-1)],
    ['rows', rows.at(-1)],
  ] as const
  const grown = last.flatMap(([what, point]): Target[] =>
    point === undefined
      ? []
      : [
          {
            what: `get_secret at ${point.at} ${what}, over when empty`,
            figure: getGrowth(point),
            unit: '×',
            at: 'most',
            bound: 1.3,
            gate: null,
          },
          {
            what: `list_secrets at ${point.at} ${what}, over when empty`,
            figure: listGrowth(point),
            unit: '×',
            at: 'most',
            bound: 1.3,
            gate: null,
          },
        ],
  )
  if (full === null || full.rows < 1_000_000) return grown
  // A write has two entries, so there are more of them than calls.
  const millions = full.entries / 1_000_000
  const most = (what: string, figure: number, unit: Target['unit'], bound: number): Target => ({
    what,
    figure,
    unit,
    at: 'most',
    bound,
    gate: null,
  })
  return [
    ...grown,
    most(`host with ${full.secrets} secrets and ${full.rows} rows`, full.rssMegabytes, 'MB', 200),
    most('log, per million entries', full.logMegabytes / millions, 'MB', 300),
    most('verify, per million entries', full.verifySeconds / millions, 's', 20),
    most(`first page of ${full.rows} rows`, full.firstPageMs, 'ms', 300),
  ]
}
