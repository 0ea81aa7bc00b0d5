// Loaded into whoever runs the machines (NODE_OPTIONS=--import): folders they would throw away are copied first, so that the sweep
// finds what a killed or finished host left behind. Our own programs never remove such folders, so nothing changes for them.

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'

const kept = process.env['KEEP']

if (kept !== undefined) {
  const remove = fs.rmSync
  const isFileOrFolder = (file: string): boolean => {
    const found = fs.lstatSync(file, { throwIfNoEntry: false })
    return found !== undefined && (found.isFile() || found.isDirectory())
  }
  fs.rmSync = (target, options) => {
    const file = String(target)
    if (/countersign-|keyring/.test(file) && options?.recursive === true && fs.existsSync(file)) {
      const copy = path.join(fs.mkdtempSync(path.join(kept, 'removed-')), path.basename(file))
      fs.cpSync(file, copy, { recursive: true, filter: isFileOrFolder })
    }
    remove(target, options)
  }
  syncBuiltinESMExports()
}
