// Who is calling: the process at the other end of a local socket and the programs that started it. Evidence for the person
// and the log, never a wall, so every doubt ends the chain or leaves it unproven instead of failing the connection.

import { execFile } from 'node:child_process'
import { readFile, readlink, stat } from 'node:fs/promises'
import type { Socket } from 'node:net'
import path from 'node:path'
import type { ProcessStep } from '../../src-shared/client.ts'
import { helperProgram, type HelperProgram } from './helper-programs.ts'

export interface Peer {
  /** Nearest first: the connecting process itself, then what started it. */
  steps: ProcessStep[]
  /** False when the chain begins at a pid that the caller merely declared. */
  proven: boolean
}

export interface Declared {
  pid: number
  ppid: number
}

const MAX_STEPS = 12
const TIME_LIMIT_MS = 1000
export const UNKNOWN: Peer = { steps: [], proven: false }

export async function inspectPeer(socket: Socket, declared: Declared): Promise<Peer> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<Peer>((resolve) => (timer = setTimeout(resolve, TIME_LIMIT_MS, UNKNOWN)))
  try {
    return await Promise.race([inspect(socket, declared), tooLate])
  } finally {
    clearTimeout(timer)
  }
}

async function inspect(socket: Socket, declared: Declared): Promise<Peer> {
  switch (process.platform) {
    case 'linux':
      return inspectLinux(socket, declared)
    case 'darwin':
      return inspectDarwin(socket, declared)
    default:
      return UNKNOWN
  }
}

async function inspectLinux(socket: Socket, declared: Declared): Promise<Peer> {
  const inode = await inodeOf(socket)
  const end = inode === null ? null : peerEnd(await socketTable(), inode)
  if (end !== null) {
    const own = end.holders.filter(({ pid }) => pid === declared.pid)
    for (const holder of own.length > 0 ? own : end.holders) {
      const steps = await chainByProc(holder.pid)
      // Asked after the chain was read: whoever holds this end now is who the chain describes, not a later owner of its pid.
      if (steps.length > 0 && (await holdsSocket(holder, end.inode))) return { steps, proven: true }
    }
  }
  return { steps: await chainByProc(declared.pid), proven: false }
}

async function inspectDarwin(socket: Socket, { pid }: Declared): Promise<Peer> {
  const [steps, table] = await Promise.all([chainByPs(pid), run('lsof', ['-nP', '-a', '-U', '-p', `${pid},${process.pid}`, '-F', 'pfdn'])])
  return { steps, proven: holdsOtherEnd(table, pid, process.pid, descriptorOf(socket)) }
}

/** Node keeps it to itself, but no public call tells one accepted connection from another. */
function descriptorOf(socket: Socket): number | null {
  const descriptor = (socket as unknown as { _handle?: { fd?: number } | null })._handle?.fd
  return descriptor === undefined || descriptor < 0 ? null : descriptor
}

async function inodeOf(socket: Socket): Promise<string | null> {
  const descriptor = descriptorOf(socket)
  if (descriptor === null) return null
  return socketInode(await readlink(`/proc/self/fd/${descriptor}`).catch(() => ''))
}

const socketInode = (link: string): string | null => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? null

/** A process, and which of its descriptors is the socket. */
export interface Holder {
  pid: number
  fd: number
}

export async function holdsSocket({ pid, fd }: Holder, inode: string): Promise<boolean> {
  return socketInode(await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')) === inode
}

/** As `ss -p` names them: `(("curl",pid=7,fd=5),…)`. */
export function holdersIn(users: string): Holder[] {
  return [...users.matchAll(/,pid=(\d+),fd=(\d+)\)/g)].map(([, pid, fd]) => ({ pid: Number(pid), fd: Number(fd) }))
}

/** The other end of our socket in the output of `ss -xp`, whose lines end in `<inode> <peer address> <peer inode> users:(…)`. */
export function peerEnd(table: string, ours: string): { inode: string; holders: Holder[] } | null {
  for (const line of table.split('\n')) {
    const [, inode, peer, users] = /\s(\d+)\s+\S+\s+(\d+)\s+users:\((.*)\)\s*$/.exec(line) ?? []
    if (inode === undefined || peer !== ours || users === undefined) continue
    return { inode, holders: holdersIn(users) }
  }
  return null
}

/** A look at the table that is yet to start serves everybody who asks meanwhile: many connections at once cost two looks. */
let running: Promise<string> | null = null
let next: Promise<string> | null = null

function socketTable(): Promise<string> {
  if (running === null) return look()
  next ??= running.then(() => {
    next = null
    return look()
  })
  return next
}

function look(): Promise<string> {
  const result = run('ss', ['-xpnH'])
  running = result
  void result.then(() => {
    if (running === result) running = null
  })
  return result
}

/** Empty when the program is missing, fails or is too slow: the caller then knows less, which is its ordinary case. */
export function run(name: HelperProgram, args: string[]): Promise<string> {
  const program = helperProgram(name)
  if (program === null) return Promise.resolve('')
  const options = { timeout: TIME_LIMIT_MS, maxBuffer: 8 << 20, env: { LC_ALL: 'C' } }
  return new Promise((resolve) => execFile(program, args, options, (error, stdout) => resolve(error ? '' : stdout)))
}

export async function chainByProc(first: number): Promise<ProcessStep[]> {
  const steps: ProcessStep[] = []
  for (let pid = first; pid > 0 && steps.length < MAX_STEPS;) {
    const found = parseStat(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))
    const child = steps.at(-1)
    // A parent that is younger than its child is a later owner of the parent's pid.
    if (found === null || (child && child.started !== null && found.started > child.started)) break
    const exe = await exeOf(pid)
    steps.push({ pid, name: nameOf(found.name, exe), exe, started: found.started })
    pid = found.ppid
  }
  return steps
}

/** Node and others call their main thread so, which tells a person nothing. */
function nameOf(name: string, exe: string | null): string {
  return name === 'MainThread' && exe !== null ? path.basename(exe) : name
}

/** The name stands in parentheses and may hold anything, parentheses and newlines included. */
export function parseStat(text: string): { name: string; ppid: number; started: number } | null {
  const open = text.indexOf('(')
  const close = text.lastIndexOf(')')
  if (open < 0 || close < open) return null
  const rest = text.slice(close + 2).split(' ')
  const ppid = Number(rest[1])
  const started = Number(rest[19])
  return Number.isInteger(ppid) && Number.isInteger(started) ? { name: text.slice(open + 1, close), ppid, started } : null
}

const DELETED = ' (deleted)'

/** A program that was updated while it runs keeps its path, which the kernel then marks as deleted. */
async function exeOf(pid: number): Promise<string | null> {
  const link = await readlink(`/proc/${pid}/exe`).catch(() => null)
  if (link === null || !link.endsWith(DELETED)) return link
  const really = await stat(link).catch(() => null)
  return really ? link : link.slice(0, -DELETED.length)
}

async function chainByPs(first: number): Promise<ProcessStep[]> {
  const table = parsePs(await run('ps', ['-axo', 'pid=,ppid=,comm=']))
  const steps: ProcessStep[] = []
  for (let pid = first; pid > 0 && steps.length < MAX_STEPS;) {
    const found = table.get(pid)
    if (!found) break
    steps.push({ pid, name: found.exe.slice(found.exe.lastIndexOf('/') + 1), exe: found.exe, started: null })
    pid = found.ppid
  }
  return steps
}

/** In the output of `lsof -F pfdn` on macOS a socket's name is `->` and the address of its other end, where that end has no path. */
export function holdsOtherEnd(table: string, theirPid: number, ourPid: number, ourDescriptor: number | null): boolean {
  const sockets: { pid: number; descriptor: string; device: string; name: string }[] = []
  let pid = 0
  for (const line of table.split('\n')) {
    const value = line.slice(1)
    const current = sockets.at(-1)
    if (line.startsWith('p')) pid = Number(value)
    else if (line.startsWith('f')) sockets.push({ pid, descriptor: value, device: '', name: '' })
    else if (line.startsWith('d') && current) current.device = value
    else if (line.startsWith('n') && current) current.name = value
  }
  const ours = sockets.find((one) => one.pid === ourPid && one.descriptor === String(ourDescriptor))
  return ours !== undefined && ours.device !== '' && sockets.some((one) => one.pid === theirPid && one.name === `->${ours.device}`)
}

export function parsePs(text: string): Map<number, { ppid: number; exe: string }> {
  const rows = [...text.matchAll(/^\s*(\d+)\s+(\d+)\s+(.+?)\s*$/gm)]
  return new Map(rows.map(([, pid, ppid, exe]) => [Number(pid), { ppid: Number(ppid), exe: exe ?? '' }]))
}
