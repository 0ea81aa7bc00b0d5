// Everything a sweep looks through, as long as the machines run and after them: files as they change, and what every process was
// started with.

import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { filesBelow, sentinelFinder } from '../support/sentinel.ts'

/** A value where it does not belong, or where we know it does. */
export interface Found {
  where: string
  form: string
}

export interface Witness {
  /** Looks at what has changed since the last time. */
  look: () => void
  found: Map<string, Found>
  seen: { files: Set<string>; bytes: number; processes: Set<string>; logs: Set<string> }
}

/** `mark` is in the environment of whatever the sweep has started, and of whatever that has started. */
export function witnessOf(folders: readonly string[], mark: string): Witness {
  const finder = sentinelFinder()
  const found = new Map<string, Found>()
  const seen: Witness['seen'] = { files: new Set(), bytes: 0, processes: new Set(), logs: new Set() }
  const times = new Map<string, number>()

  const search = (where: string, content: Buffer): void => {
    for (const { form } of finder.hits(content)) if (!found.has(where)) found.set(where, { where, form })
    seen.bytes += content.length
  }

  const lookAtFiles = (): void => {
    for (const file of folders.flatMap(filesIn)) {
      const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs
      if (changed === undefined || times.get(file) === changed) continue
      times.set(file, changed)
      const content = contentOf(file)
      if (content === null) continue
      seen.files.add(file)
      if (file.endsWith('-wal')) seen.logs.add(file)
      search(file, content)
    }
  }

  const lookAtProcesses = (): void => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const [environ, command] = [contentOf(`/proc/${pid}/environ`), contentOf(`/proc/${pid}/cmdline`)]
      if (environ === null || command === null || !environ.includes(mark)) continue
      const where = `process ${command.toString('latin1').replaceAll('\0', ' ').slice(0, 60).trim()}`
      seen.processes.add(`${pid} ${where}`)
      search(`command line of ${where}`, command)
      search(`environment of ${where}`, environ)
    }
  }

  return {
    look: () => {
      lookAtProcesses()
      lookAtFiles()
    },
    found,
    seen,
  }
}

/** Folders come and go under our eyes. */
function filesIn(folder: string): string[] {
  try {
    return filesBelow(folder)
  } catch {
    return []
  }
}

/** In pieces, because a file of /proc does not say how long it is; null when it is gone. */
function contentOf(file: string): Buffer | null {
  try {
    if (!file.startsWith('/proc/')) return readFileSync(file)
    const handle = openSync(file, 'r')
    try {
      const parts: Buffer[] = []
      for (;;) {
        const part = Buffer.alloc(65_536)
        const read = readSync(handle, part)
        if (read === 0) return Buffer.concat(parts)
        parts.push(part.subarray(0, read))
      }
    } finally {
      closeSync(handle)
    }
  } catch {
    return null
  }
}

/** Strace writes bytes it does not like as it would in C; a value must be found all the same. */
export function plainOf(log: Buffer): Buffer {
  const letters: Record<string, string> = { n: '\n', t: '\t', r: '\r', v: '\v', f: '\f', '"': '"', '\\': '\\' }
  const text = log
    .toString('latin1')
    .replaceAll(/\\(?:([0-7]{1,3})|x([0-9a-f]{2})|([ntrvf"\\]))/g, (_all, octal?: string, hex?: string, letter?: string) =>
      octal !== undefined
        ? String.fromCharCode(Number.parseInt(octal, 8))
        : hex === undefined
          ? (letters[letter ?? ''] ?? '')
          : String.fromCharCode(Number.parseInt(hex, 16)),
    )
  return Buffer.from(text, 'latin1')
}
