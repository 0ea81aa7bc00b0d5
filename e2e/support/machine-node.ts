import { existsSync } from 'node:fs'
import path from 'node:path'

/** The Node that the machine itself has, which may be older than the one that runs the tests. */
export const machineNode =
  (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => path.join(folder, 'node'))
    .find((file) => existsSync(file)) ?? process.execPath
