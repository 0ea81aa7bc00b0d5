// Loaded into the host before its own code (NODE_OPTIONS=--import), by the load machine alone: writes once a second how long the event
// loop kept things waiting, how much memory there is, and how many things are open. The product knows nothing of it.

import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import path from 'node:path'
import v8 from 'node:v8'
import vm from 'node:vm'
import { isMainThread } from 'node:worker_threads'

export interface Sample {
  /** Milliseconds on the clock of the machine. */
  at: number
  lagP50: number
  lagP99: number
  lagMax: number
  rssMb: number
  heapMb: number
  /** What is alive after everything else was thrown away; only now and then. */
  aliveMb: number | null
  /** Sockets, timers, workers and the like. */
  resources: number
}

const EVERY_MS = 1000
const RESOLUTION_MS = 5
const MB = 1e6
const folder = process.env['LOAD_PROBE']
const collectEvery = Number(process.env['LOAD_PROBE_COLLECT'] ?? 0)
/** Made once: a context for each sample would itself grow what is measured. */
let collect: (() => void) | null = null

if (folder !== undefined && isMainThread) {
  const file = path.join(folder, `${process.pid}.jsonl`)
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  let ticks = 0
  setInterval(() => {
    // What it counts is how long a timer of this length took.
    const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
    const lag = { lagP50: ms(delay.percentile(50)), lagP99: ms(delay.percentile(99)), lagMax: ms(delay.max) }
    const aliveMb = collectEvery > 0 && ++ticks % collectEvery === 0 ? alive() : null
    const { rss, heapUsed } = process.memoryUsage()
    const resources = process.getActiveResourcesInfo().length
    const sample: Sample = { at: Date.now(), ...lag, rssMb: rss / MB, heapMb: heapUsed / MB, aliveMb, resources }
    appendFileSync(file, `${JSON.stringify(sample)}\n`)
    delay.reset()
  }, EVERY_MS).unref()
}

function alive(): number {
  collect ??= collector()
  collect()
  return process.memoryUsage().heapUsed / MB
}

function collector(): () => void {
  v8.setFlagsFromString('--expose-gc')
  return vm.runInNewContext('gc') as () => void
}
