// Who is calling: the process at the other end of a local socket, its user, and the programs that started it. The chain is evidence
// for the person and the log, never a wall: every doubt ends it or leaves it unproven instead of failing the connection.

import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
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

/** Whose process has the other end: null for a user we cannot see; `gone` when nobody has it; `unknown` where the system does not tell. */
export type PeerUser = 'own' | 'gone' | 'unknown' | { uid: number | null }

export interface Inspected extends Peer {
  user: PeerUser
}

export interface Declared {
  pid: number
  ppid: number
}

const MAX_STEPS = 12
/** A bridge is one process with few descriptors: whoever has more must not make us read for long. */
const MAX_HOLDERS = 256
const TIME_LIMIT_MS = 1000
export const UNKNOWN: Peer = { steps: [], proven: false }

export async function inspectPeer(socket: Socket, declared: Declared): Promise<Inspected> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<Inspected>((resolve) => (timer = setTimeout(resolve, TIME_LIMIT_MS, { ...UNKNOWN, user: 'unknown' })))
  try {
    const found = await Promise.race([inspect(socket, declared), tooLate])
    // Its descriptor is closed by now, and may have been another's while we looked.
    return socket.destroyed ? { ...UNKNOWN, user: 'gone' } : found
  } finally {
    clearTimeout(timer)
  }
}

async function inspect(socket: Socket, declared: Declared): Promise<Inspected> {
  switch (process.platform) {
    case 'linux':
      return inspectLinux(socket, declared)
    case 'darwin':
      return inspectDarwin(socket, declared)
    default:
      return { ...UNKNOWN, user: 'unknown' }
  }
}

async function inspectLinux(socket: Socket, declared: Declared): Promise<Inspected> {
  const inode = await inodeOf(socket)
  const end = inode === null ? null : peerEnd(await socketTable(), inode, process.pid)
  if (end === null) return { steps: await chainByProc(declared.pid), proven: false, user: 'unknown' }
  if (end === 'gone') return { ...UNKNOWN, user: 'gone' }
  if (end === 'elsewhere') {
    const own = inode !== null && (await isOwnElsewhere(declared.pid, inode))
    return own ? { steps: await chainByProc(declared.pid), proven: false, user: 'own' } : { ...UNKNOWN, user: { uid: null } }
  }
  const holders = end.holders ?? (await holdersAt(declared.pid, end.inode))
  // The kernel shows us the descriptors of our own processes; to root it shows everybody's.
  if (holders.length === 0) return { ...UNKNOWN, user: { uid: null } }
  return whoHolds(holders.slice(0, MAX_HOLDERS), end.inode, declared.pid)
}

/** All who hold the end must be ours: one of our processes may have been handed a socket that another user opened. */
async function whoHolds(holders: Holder[], inode: string, declared: number): Promise<Inspected> {
  let found: ProcessStep[] | null = null
  for (const holder of holders) {
    const [uid, steps] = await Promise.all([uidOf(holder.pid), chainByProc(holder.pid)])
    // Asked after the rest was read: whoever holds this end now is who that describes, not a later owner of its pid.
    if (!(await holdsSocket(holder, inode))) continue
    if (uid !== process.geteuid?.()) return { ...UNKNOWN, user: { uid } }
    if (found === null || holder.pid === declared) found = steps
  }
  // Those who held it have left since.
  return found === null ? { ...UNKNOWN, user: 'gone' } : { steps: found, proven: found.length > 0, user: 'own' }
}

/**
 * Both ends of a connection belong to the network of the program that made it: one in a network of its own, as a sandbox's is, is
 * not in our table. The process it names must be ours, and in the very network that has our end.
 */
async function isOwnElsewhere(pid: number, ours: string): Promise<boolean> {
  if ((await uidOf(pid)) !== process.geteuid?.()) return false
  const networks = await Promise.all([pid, 'self'].map((which) => readlink(`/proc/${which}/ns/net`).catch(() => null)))
  if (networks[0] === null || networks[0] === networks[1]) return false
  const sockets = await readFile(`/proc/${pid}/net/unix`, 'utf8').catch(() => '')
  return sockets.split('\n').some((line) => line.split(/\s+/, 7)[6] === ours)
}

/** The effective one. The owner of `/proc/<pid>` is root for some programs that run as somebody else. */
async function uidOf(pid: number): Promise<number | null> {
  const uid = /^Uid:\s+\d+\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))?.[1]
  return uid === undefined ? null : Number(uid)
}

async function holdersAt(pid: number, inode: string): Promise<Holder[]> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const all = names.slice(0, MAX_HOLDERS).map((name) => ({ pid, fd: Number(name) }))
  const held = await Promise.all(all.map((holder) => holdsSocket(holder, inode)))
  return all.filter((_, index) => held[index])
}

async function inspectDarwin(socket: Socket, { pid }: Declared): Promise<Inspected> {
  const [steps, table] = await Promise.all([chainByPs(pid), run('lsof', ['-nP', '-a', '-U', '-p', `${pid},${process.pid}`, '-F', 'pfdn'])])
  return { steps, proven: holdsOtherEnd(table, pid, process.pid, descriptorOf(socket)), user: 'unknown' }
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

interface Row {
  inode: string
  peer: string
  holders: Holder[]
}

/** Of `ss -xp`, whose lines end in `<inode> <peer address> <peer inode> users:(…)`, the last only where a process is visible to us. */
function readRows(table: string): Row[] {
  const lines = table.matchAll(/\s(\d+)[^\S\n]+\S+[^\S\n]+(\d+)(?:[^\S\n]+users:\((.*)\))?[^\S\n]*$/gm)
  return [...lines].map(([, inode = '', peer = '', users = '']) => ({ inode, peer, holders: holdersIn(users) }))
}

/** `holders` is null where the table does not have the other end. */
export type PeerEnd = { inode: string; holders: Holder[] | null } | 'gone' | 'elsewhere'

/** The other end of our socket, or `elsewhere` when not even ours is in the table. Null where it does not show us our own process. */
export function peerEnd(table: string, ours: string, ourPid: number): PeerEnd | null {
  const rows = readRows(table)
  const seen = rows.filter(({ holders }) => holders.some(({ pid }) => pid === ourPid))
  if (seen.length === 0) return null
  const [inode, second] = new Set(seen.filter((row) => row.inode === ours).map(({ peer }) => peer))
  if (inode === undefined) return 'elsewhere'
  // Whoever names a socket may write a line of this table into the name.
  if (second !== undefined) return { inode: 'ambiguous', holders: null }
  if (inode === '0') return 'gone'
  const theirs = rows.filter((row) => row.inode === inode && row.peer === ours)
  return { inode, holders: theirs.length === 0 ? null : theirs.flatMap(({ holders }) => holders) }
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
