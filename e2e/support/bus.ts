// A program on the session bus, as far as tests need one: it calls, owns a name, answers calls and emits signals. Written here because
// nothing on a bare system does it, and a desktop's own services would bring half a desktop along.

import net from 'node:net'

type Value = unknown

export interface Call {
  member: string
  body: Value[]
}

export interface Bus {
  /** Calls of others that came in. */
  calls: Call[]
  call: (destination: string, path: string, member: `${string}.${string}`, signature: string, body: Value[]) => Promise<Value[]>
  emit: (path: string, member: `${string}.${string}`, signature: string, body: Value[]) => void
  own: (name: string) => Promise<void>
  close: () => void
}

/** Answers by member: the signature and the values of its reply. Members it does not know get an empty reply. */
export type Replies = Record<string, (call: Call) => [signature: string, body: Value[]]>

const METHOD_CALL = 1
const METHOD_RETURN = 2
const ERROR = 3
const SIGNAL = 4

/** `silent`: takes every call and answers none. */
export async function connectBus(replies: Replies | 'silent' = {}, address = process.env['DBUS_SESSION_BUS_ADDRESS']): Promise<Bus> {
  const socket = net.connect({ path: socketOf(address ?? '') })
  const calls: Call[] = []
  const waiting = new Map<number, (message: Message) => void>()
  let serial = 0
  let received = Buffer.alloc(0)
  let greeted = false
  const send = (type: number, fields: Fields, signature: string, body: Value[]) => {
    socket.write(encode({ type, serial: ++serial, fields, signature, body }))
    return serial
  }
  const call: Bus['call'] = (destination, path, member, signature, body) =>
    new Promise((resolve, reject) => {
      const fields = { path, destination, ...split(member) }
      waiting.set(send(METHOD_CALL, fields, signature, body), (message) =>
        message.type === ERROR ? reject(new Error(`${member}: ${String(message.body[0])}`)) : resolve(message.body),
      )
    })
  const receive = (message: Message) => {
    const { replySerial, member = '', sender = '' } = message.fields
    if (message.type === METHOD_RETURN || message.type === ERROR) waiting.get(replySerial ?? 0)?.(message)
    if (message.type !== METHOD_CALL) return
    const call = { member, body: message.body }
    calls.push(call)
    if (replies === 'silent') return
    const [signature, body] = replies[member]?.(call) ?? ['', []]
    send(METHOD_RETURN, { replySerial: message.serial, destination: sender }, signature, body)
  }

  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.on('data', (data: Buffer) => {
      received = Buffer.concat([received, data])
      if (!greeted) {
        const end = received.indexOf('\r\n')
        if (end < 0) return
        if (!received.subarray(0, end).toString().startsWith('OK')) return reject(new Error('the bus does not know us'))
        received = received.subarray(end + 2)
        greeted = true
        socket.write('BEGIN\r\n')
        resolve()
      }
      for (let size = sizeOf(received); size !== null; size = sizeOf(received)) {
        receive(decode(received.subarray(0, size)))
        received = received.subarray(size)
      }
    })
    const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex')
    socket.write(`\0AUTH EXTERNAL ${uid}\r\n`)
  })
  const askBus = (member: string, signature: string, body: Value[]) =>
    call('org.freedesktop.DBus', '/org/freedesktop/DBus', `org.freedesktop.DBus.${member}`, signature, body)
  await askBus('Hello', '', [])

  return {
    calls,
    call,
    emit: (path, member, signature, body) => void send(SIGNAL, { path, ...split(member) }, signature, body),
    own: async (name) => void (await askBus('RequestName', 'su', [name, 4])),
    close: () => socket.destroy(),
  }
}

function split(member: string): { interface: string; member: string } {
  const dot = member.lastIndexOf('.')
  return { interface: member.slice(0, dot), member: member.slice(dot + 1) }
}

function socketOf(address: string): string {
  const path = /unix:(?:[^,;]*,)*(?:path|abstract)=([^,;]+)/.exec(address)
  if (path?.[1] === undefined) throw new Error(`no session bus at '${address}'`)
  return address.includes('abstract=') ? `\0${path[1]}` : path[1]
}

interface Fields {
  path?: string
  interface?: string
  member?: string
  replySerial?: number
  destination?: string
  sender?: string
}

interface Message {
  type: number
  serial: number
  fields: Fields
  signature: string
  body: Value[]
}

const FIELD_CODES = {
  path: [1, 'o'],
  interface: [2, 's'],
  member: [3, 's'],
  replySerial: [5, 'u'],
  destination: [6, 's'],
  sender: [7, 's'],
} as const

function encode({ type, serial, fields, signature, body }: Message): Buffer {
  const content = createWriter()
  body.forEach((value, index) => content.write(typesOf(signature)[index] ?? '', value))
  const header = createWriter()
  for (const part of [0x6c, type, 0, 1]) header.write('y', part)
  header.write('u', content.bytes().length)
  header.write('u', serial)
  const entries: Value[] = Object.entries(fields).map(([name, value]) => {
    const [code, kind] = FIELD_CODES[name as keyof Fields]
    return [code, { kind, value: value as Value }]
  })
  if (signature !== '') entries.push([8, { kind: 'g', value: signature }])
  header.write('a(yv)', entries)
  header.align(8)
  return Buffer.concat([header.bytes(), content.bytes()])
}

function sizeOf(data: Buffer): number | null {
  if (data.length < 16) return null
  const header = 16 + data.readUInt32LE(12)
  const size = Math.ceil(header / 8) * 8 + data.readUInt32LE(4)
  return data.length < size ? null : size
}

function decode(data: Buffer): Message {
  const reader = createReader(data)
  const [, type = 0] = [reader.read('y'), reader.read('y'), reader.read('y'), reader.read('y')] as number[]
  reader.read('u')
  const serial = reader.read('u') as number
  const entries = reader.read('a(yv)') as [number, Value][]
  reader.align(8)
  const values = new Map(entries)
  const fields = Object.fromEntries(Object.entries(FIELD_CODES).map(([name, [code]]) => [name, values.get(code)])) as Fields
  const signature = (values.get(8) as string | undefined) ?? ''
  return { type, serial, fields, signature, body: typesOf(signature).map((kind) => reader.read(kind)) }
}

/** The complete types a signature is made of. */
function typesOf(signature: string): string[] {
  const types: string[] = []
  for (let at = 0; at < signature.length;) {
    const end = endOfType(signature, at)
    types.push(signature.slice(at, end))
    at = end
  }
  return types
}

function endOfType(signature: string, at: number): number {
  const first = signature[at]
  if (first === 'a') return endOfType(signature, at + 1)
  if (first !== '(' && first !== '{') return at + 1
  let next = at + 1
  while (signature[next] !== ')' && signature[next] !== '}') next = endOfType(signature, next)
  return next + 1
}

const SIZES: Record<string, number> = { y: 1, g: 1, v: 1, n: 2, q: 2, x: 8, t: 8, d: 8, '(': 8, '{': 8 }
const alignmentOf = (kind: string): number => SIZES[kind[0] ?? ''] ?? 4

function createWriter() {
  let data = Buffer.alloc(0)
  const add = (more: Buffer) => {
    data = Buffer.concat([data, more])
  }
  const align = (to: number) => add(Buffer.alloc((to - (data.length % to)) % to))
  const uint = (value: number) => {
    const bytes = Buffer.alloc(4)
    // Negative numbers have the same bytes as these.
    bytes.writeUInt32LE(value >>> 0)
    add(bytes)
  }
  const write = (kind: string, value: Value): void => {
    align(alignmentOf(kind))
    switch (kind[0]) {
      case 'y':
        return add(Buffer.from([value as number]))
      case 'b':
        return uint(value === true ? 1 : 0)
      case 'u':
      case 'i':
        return uint(value as number)
      case 's':
      case 'o':
        uint(Buffer.byteLength(value as string))
        return add(Buffer.from(`${value as string}\0`))
      case 'g':
        return add(Buffer.from([(value as string).length, ...Buffer.from(`${value as string}\0`)]))
      case 'v': {
        const { kind: inner, value: content } = value as { kind: string; value: Value }
        write('g', inner)
        return write(inner, content)
      }
      case 'a': {
        uint(0)
        const lengthAt = data.length - 4
        align(alignmentOf(kind.slice(1)))
        const start = data.length
        for (const item of value as Value[]) write(kind.slice(1), item)
        data.writeUInt32LE(data.length - start, lengthAt)
        return
      }
      case '(':
        return typesOf(kind.slice(1, -1)).forEach((inner, index) => write(inner, (value as Value[])[index]))
      default:
        throw new Error(`this bus writes no '${kind}'`)
    }
  }
  return { write, align, bytes: () => data }
}

function createReader(data: Buffer) {
  let at = 0
  const align = (to: number) => {
    at = Math.ceil(at / to) * to
  }
  const take = (bytes: number): Buffer => data.subarray(at, (at += bytes))
  const read = (kind: string): Value => {
    align(alignmentOf(kind))
    switch (kind[0]) {
      case 'y':
        return take(1).readUInt8()
      case 'b':
        return take(4).readUInt32LE() === 1
      case 'n':
        return take(2).readInt16LE()
      case 'q':
        return take(2).readUInt16LE()
      case 'i':
        return take(4).readInt32LE()
      case 'u':
        return take(4).readUInt32LE()
      case 'x':
      case 't':
        return take(8).readBigInt64LE()
      case 'd':
        return take(8).readDoubleLE()
      case 's':
      case 'o': {
        const text = take(take(4).readUInt32LE()).toString()
        take(1)
        return text
      }
      case 'g': {
        const text = take(take(1).readUInt8()).toString()
        take(1)
        return text
      }
      case 'v':
        return read(read('g') as string)
      case 'a': {
        const length = take(4).readUInt32LE()
        align(alignmentOf(kind.slice(1)))
        const end = at + length
        const items: Value[] = []
        while (at < end) items.push(read(kind.slice(1)))
        return items
      }
      case '(':
      case '{':
        return typesOf(kind.slice(1, -1)).map(read)
      default:
        throw new Error(`this bus reads no '${kind}'`)
    }
  }
  return { read, align }
}
