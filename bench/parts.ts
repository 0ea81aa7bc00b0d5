// What a read cannot do without, each by itself: a commit that is on disk, and the keychain's answer.

import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

interface Keytar {
  getPassword: (service: string, account: string) => Promise<string | null>
  setPassword: (service: string, account: string, password: string) => Promise<void>
}

export interface Parts {
  /** Milliseconds, once. */
  fsync: () => number
  keytar: () => Promise<number>
  close: () => void
}

/** `folder` is where the log lies: another disk may be faster. */
export async function openParts(folder: string): Promise<Parts> {
  // An optional dependency with no types of its own that we rely on.
  const keytar = createRequire(import.meta.url)('keytar') as Keytar
  const [service, account] = ['countersign-bench', 'bare']
  await keytar.setPassword(service, account, 'the value of bench/3')
  const file = openSync(path.join(folder, 'fsync'), 'w')
  const page = Buffer.alloc(4096, 1)
  return {
    fsync() {
      const began = performance.now()
      writeSync(file, page)
      fdatasyncSync(file)
      return performance.now() - began
    },
    async keytar() {
      const began = performance.now()
      await keytar.getPassword(service, account)
      return performance.now() - began
    },
    close: () => closeSync(file),
  }
}
