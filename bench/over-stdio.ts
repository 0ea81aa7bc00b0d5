// Everything over stdio, in turns, so that a machine that gets slower gets slower for all.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { dist, type AtEnd } from '../e2e/support/host.ts'
import { median, quantile } from './numbers.ts'
import { bridgeTo, GET, LIST, openOurs, VISIBLE } from './ours.ts'
import { openParts } from './parts.ts'
import { findPeers, type Program } from './peers.ts'
import { cpuSeconds, megabytesOf, rssMegabytes } from './processes.ts'
import { callOf, coldStart, converse, DISCOVER, INITIALIZE, LIST_TOOLS, type Ask, type Conversation } from './stdio.ts'

export interface Effort {
  coldRounds: number
  callRounds: number
  floodRounds: number
  floodMs: number
}

export interface StdioFigures {
  id: string
  title: string
  coldMs: number
  discoverMs: number | null
  toolsMs: number | null
  callMs: number | null
  callP99Ms: number | null
  callsPerSecond: number | null
  cpuMicros: number | null
  rssStart: number | null
  rssLoaded: number | null
  installMegabytes: number | null
}

export interface OverStdio {
  servers: StdioFigures[]
  /** Our bridge while no host runs. */
  withoutHost: { coldMs: number; discoverMs: number }
  get: { ms: number; p99Ms: number; callsPerSecond: number }
  parts: { fsyncMs: number; keytarMs: number; floorCallMs: number }
  /** CPU of our host per call; the bridge's own is in `servers`. */
  hostCpuMicros: number
}

const IN_FLIGHT = 64
const CALLS_A_ROUND = 40
/** Of each kind, until the compiler has seen enough of each, as over HTTP: a host is started once and called for days. */
const WARM_UP = 400
/** Of each secret in turn: equal reads at the same time would share one look into the keychain. */
const READS = VISIBLE.map((name) => callOf({ name: 'get_secret', arguments: { name } }))

export async function measureStdio(atEnd: AtEnd, effort: Effort): Promise<OverStdio> {
  const ours = await openOurs(atEnd)
  const nowhere = mkdtempSync(path.join(tmpdir(), 'countersign-bench-'))
  atEnd(() => rmSync(nowhere, { recursive: true, force: true }))
  const programs = [...(await findPeers(atEnd)), ours.program]
  const withoutHost = bridgeTo(nowhere)
  const cold = await coldStarts([...programs, withoutHost], effort.coldRounds)

  const parts = await openParts(ours.host.home)
  atEnd(parts.close)
  const talks = new Map<string, Talk>()
  for (const program of programs.filter(({ call }) => call !== null)) talks.set(program.id, await opened(program, atEnd))
  const times = { get: [] as number[], fsync: [] as number[], keytar: [] as number[] }
  const bridge = talks.get('ours')!
  for (const talk of talks.values()) await warmUp(talk.with, [LIST_TOOLS, talk.call])
  await warmUp(bridge.with, [callOf(GET)])
  for (let round = 0; round < effort.callRounds; round++) {
    for (const talk of talks.values()) {
      for (let n = 0; n < CALLS_A_ROUND; n++) talk.tools.push(await talk.with.time(LIST_TOOLS))
      for (let n = 0; n < CALLS_A_ROUND; n++) talk.calls.push(await talk.with.time(talk.call))
    }
    // Between each other, because they are to be compared with their sum.
    for (let n = 0; n < CALLS_A_ROUND; n++) {
      times.get.push(await bridge.with.time(callOf(GET)))
      times.keytar.push(await parts.keytar())
      times.fsync.push(parts.fsync(), parts.fsync())
    }
  }

  const floods = new Map<string, { perSecond: number; cpuMicros: number }[]>()
  const hostCpu: number[] = []
  const gets: number[] = []
  for (let round = 0; round < effort.floodRounds; round++) {
    for (const [id, talk] of talks) {
      const before = cpuSeconds(ours.host.ready.pid)
      const { perSecond, cpuMicros, calls } = await flood(talk.with, [talk.call], effort.floodMs)
      floods.set(id, [...(floods.get(id) ?? []), { perSecond, cpuMicros }])
      if (id === 'ours') hostCpu.push(((cpuSeconds(ours.host.ready.pid) - before) * 1e6) / calls)
    }
    gets.push((await flood(bridge.with, READS, effort.floodMs)).perSecond)
  }

  const figures = (program: Program, index: number): StdioFigures => {
    const talk = talks.get(program.id)
    const loads = floods.get(program.id) ?? []
    const of = (values: number[] | undefined, share = 0.5) => (values === undefined ? null : quantile(values, share))
    return {
      id: program.id,
      title: program.title,
      coldMs: median(cold[index]?.initialize ?? []),
      discoverMs: program.discovers ? median(cold[index]?.discover ?? []) : null,
      toolsMs: of(talk?.tools),
      callMs: of(talk?.calls),
      callP99Ms: of(talk?.calls, 0.99),
      callsPerSecond: talk ? median(loads.map(({ perSecond }) => perSecond)) : null,
      cpuMicros: talk ? median(loads.map(({ cpuMicros }) => cpuMicros)) : null,
      rssStart: talk?.rssStart ?? null,
      rssLoaded: talk ? rssMegabytes(talk.with.pid) : null,
      installMegabytes: installed(program),
    }
  }
  const servers = programs.map(figures)
  return {
    servers,
    withoutHost: { coldMs: median(cold.at(-1)?.initialize ?? []), discoverMs: median(cold.at(-1)?.discover ?? []) },
    get: { ms: median(times.get), p99Ms: quantile(times.get, 0.99), callsPerSecond: median(gets) },
    parts: {
      fsyncMs: median(times.fsync),
      keytarMs: median(times.keytar),
      floorCallMs: servers.find(({ id }) => id === 'floor')?.callMs ?? Number.NaN,
    },
    hostCpuMicros: median(hostCpu),
  }
}

async function coldStarts(programs: Program[], rounds: number): Promise<{ initialize: number[]; discover: number[] }[]> {
  const times = programs.map(() => ({ initialize: [] as number[], discover: [] as number[] }))
  for (let round = 0; round < rounds; round++) {
    // Each round begins with another one: what a big one leaves behind when it is ended is a burden to the next.
    for (let n = 0; n < programs.length; n++) {
      const index = (n + round) % programs.length
      const program = programs[index]
      if (program === undefined) continue
      times[index]?.initialize.push(await coldStart(program, INITIALIZE))
      if (program.discovers) times[index]?.discover.push(await coldStart(program, DISCOVER))
    }
  }
  return times
}

interface Talk {
  with: Conversation
  call: Ask
  rssStart: number
  tools: number[]
  calls: number[]
}

async function opened(program: Program, atEnd: AtEnd): Promise<Talk> {
  const conversation = await converse(program)
  atEnd(conversation.close)
  const call = callOf(program.call ?? LIST)
  const rssStart = rssMegabytes(conversation.pid)
  const { result } = await conversation.ask(call)
  const refused = typeof result !== 'object' || result === null || ('isError' in result && program.id !== 'bitwarden')
  if (refused) throw new Error(`${program.title} does not answer the call it is measured by`)
  return { with: conversation, call, rssStart, tools: [], calls: [] }
}

async function warmUp(talk: Conversation, asks: readonly Ask[]): Promise<void> {
  for (let n = 0; n < WARM_UP; n++) for (const ask of asks) await talk.time(ask)
}

async function flood(
  talk: Conversation,
  calls: readonly Ask[],
  ms: number,
): Promise<{ perSecond: number; cpuMicros: number; calls: number }> {
  const before = cpuSeconds(talk.pid)
  const { calls: count, seconds } = await talk.flood(calls, IN_FLIGHT, ms)
  return { perSecond: count / seconds, cpuMicros: ((cpuSeconds(talk.pid) - before) * 1e6) / count, calls: count }
}

/** Of ours, what is built and the one package it is installed with. */
function installed({ id, folder }: Program): number | null {
  if (id === 'ours')
    return megabytesOf(dist) + megabytesOf(path.join(dist, '..', 'node_modules', 'keytar', 'build', 'Release', 'keytar.node'))
  return folder === null ? null : megabytesOf(path.join(folder, 'node_modules'))
}
