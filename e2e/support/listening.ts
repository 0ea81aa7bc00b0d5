import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** On how many TCP ports a process listens: an inspector would be one more. */
export function listening(pid: number): number {
  const tables = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'latin1').split('\n').slice(1))
  const cells = tables.map((line) => line.trim().split(/\s+/))
  const inodes = new Set(cells.flatMap(([, , , state, , , , , , inode]) => (state === LISTEN ? [inode] : [])))
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => inodes.has(/^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1])).length
}

const LISTEN = '0A'

function linkOf(file: string): string {
  try {
    return readlinkSync(file)
  } catch {
    return '' // Closed since it was listed.
  }
}
