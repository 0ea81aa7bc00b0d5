// What comes in by hand or by pipe: values and passphrases. Neither ever comes as an argument or from the environment.

import { StringDecoder } from 'node:string_decoder'
import type { Readable, Writable } from 'node:stream'
import type { ReadStream } from 'node:tty'
import { EXIT, Stop } from './exit.ts'
import type { Io } from './io.ts'

/** More than any value may have; the host says exactly what is too much. */
const MOST_BYTES = 1024 * 1024

/** The value exactly as it was piped in; at a terminal one line, not shown, without its end. */
export async function readValue(io: Io): Promise<string> {
  return io.stdin.isTTY ? readHidden(io.stdin, io.stderr, 'Value (not shown): ') : readAll(io.stdin)
}

/** At a terminal not shown, and asked for twice where it is new; otherwise the first line of what was piped in. */
export async function readPassphrase(io: Io, isNew: boolean): Promise<string> {
  if (!io.stdin.isTTY) return (await readAll(io.stdin)).split(/\r?\n/, 1)[0] ?? ''
  const passphrase = await readHidden(io.stdin, io.stderr, 'Passphrase of the backup (not shown): ')
  if (isNew && (await readHidden(io.stdin, io.stderr, 'The same again: ')) !== passphrase) {
    throw new Stop(EXIT.usage, 'The two passphrases differ.')
  }
  return passphrase
}

async function readAll(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > MOST_BYTES) throw new Stop(EXIT.usage, 'What was piped in is larger than 1 MiB.')
    chunks.push(bytes)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new Stop(EXIT.usage, 'What was piped in is not UTF-8 text.')
  }
}

const KEY = { interrupt: '\x03', end: '\x04', backspace: ['\x7f', '\b'], clear: '\x15', enter: ['\r', '\n'] }

/** One line, typed or pasted, without any echo. */
function readHidden(stdin: ReadStream, stderr: Writable, prompt: string): Promise<string> {
  const decoder = new StringDecoder('utf8')
  let line: string[] = []
  stderr.write(prompt)
  stdin.setRawMode(true)
  return new Promise((resolve, reject) => {
    function done(settle: () => void): void {
      stdin.off('data', take)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
      settle()
    }
    function take(bytes: Buffer): void {
      for (const char of decoder.write(bytes)) {
        if (char === KEY.interrupt) return done(() => reject(new Stop(EXIT.failure, 'Given up.')))
        if (char === KEY.end || KEY.enter.includes(char)) return done(() => resolve(line.join('')))
        if (char === KEY.clear) line = []
        else if (KEY.backspace.includes(char)) line.pop()
        else line.push(char)
      }
    }
    stdin.on('data', take)
    stdin.resume()
  })
}
