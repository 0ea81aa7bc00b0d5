// A host with a secret that no input can name and no client may see, for targets that are programs of their own.

import { readFileSync } from 'node:fs'
import { enter, startHost, type AtEnd, type Person, type RunningHost } from '../support/host.ts'
import { filesBelow, sentinel, sentinelFinder } from '../support/sentinel.ts'
import { promise } from './target.ts'

/** Stands for every value that must not come out. */
const SENTINEL = sentinel('of a fuzzer')
const finder = sentinelFinder()

export interface FuzzDesk extends RunningHost {
  someone: Person
  /** Whether it is well: nobody complained, it did not grow, and the value is in none of its files. */
  inspect: () => void
}

/** What a process may take at its worst, in MiB; SECURITY's own limits have tests of their own. */
const MOST_HOST_MIB = 400
const MOST_BRIDGE_MIB = 200

export async function openFuzzDesk(atEnd: AtEnd, args: string[] = []): Promise<FuzzDesk> {
  const host = await startHost({ atEnd, args })
  const someone = await enter(host.ready.url)
  atEnd(someone.leave)
  await someone.ask('secrets.store', { name: 'sentinel/9d1f', value: SENTINEL })
  await someone.ask('secrets.store', { name: 'dev/a', value: 'known' })
  await someone.ask('policies.save', { name: 'dev', description: '', allow: ['dev/*'], deny: [], reads: 'always' })
  return {
    ...host,
    someone,
    inspect() {
      promise(host.process.exitCode === null && host.process.signalCode === null, `the host runs: ${host.stderr()}`)
      promise(host.stderr() === '', `the host has nothing to complain about: ${host.stderr()}`)
      expectSmall('the host', host.ready.pid, MOST_HOST_MIB)
      for (const file of filesBelow(host.home)) expectNoValue(file, readFileSync(file))
    },
  }
}

export function expectNoValue(where: string, content: string | Buffer): void {
  const [hit] = finder.hits(typeof content === 'string' ? Buffer.from(content, 'latin1') : content)
  promise(hit === undefined, `no value in ${where} (${hit?.form})`)
}

export function expectSmall(who: string, pid: number | undefined, mostMib = MOST_BRIDGE_MIB): void {
  const mib = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  promise(mib < mostMib, `${who} stays below ${mostMib} MiB: ${mib.toFixed(0)}`)
}
