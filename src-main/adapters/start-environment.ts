// What a host needs of the desktop it was started on, and in which shape. It lies in a file that any program of this user can write,
// so whoever starts a host from it takes only what a host would have written: none of it names a program, a library or a folder of
// configuration.

import path from 'node:path'
import type { Env } from './paths.ts'

const SYMBOLIC = /^[\w.:+-]{1,200}$/
/** Plain, whole and without steps upwards. */
const isPath = (value: string): boolean => path.isAbsolute(value) && path.normalize(value) === value && value.length < 4096

const SHAPES: Record<string, (value: string, folder: string) => boolean> = {
  DISPLAY: (value) => /^[\w.-]{0,100}:\d{1,5}(\.\d{1,3})?$/.test(value),
  WAYLAND_DISPLAY: (value) => /^[\w.-]{1,100}$/.test(value) || isPath(value),
  XAUTHORITY: isPath,
  // One socket. `unixexec:` and `autolaunch:` would run a program, and further addresses stand behind a semicolon.
  DBUS_SESSION_BUS_ADDRESS: (value) => /^unix:(path|abstract)=[\w./%@+-]{1,1000}(,guid=[0-9a-f]{1,64})?$/.test(value),
  XDG_RUNTIME_DIR: isPath,
  XDG_SESSION_TYPE: (value) => SYMBOLIC.test(value),
  XDG_CURRENT_DESKTOP: (value) => SYMBOLIC.test(value),
  LANG: (value) => /^[\w.@-]{1,100}$/.test(value),
  TZ: (value) => /^:?[\w/+-]{1,100}$/.test(value),
  // A file may not lead to another folder than the one it lies in.
  COUNTERSIGN_HOME: (value, folder) => isPath(value) && value === folder,
  COUNTERSIGN_PASSPHRASE_FILE: isPath,
}

/** Chromium's way of saying that it found no bus is not among the shapes: remembered, it would hide the bus of a later session. */
export function rememberedOf(env: Env, folder: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(SHAPES).flatMap(([name, fits]) => {
      const value = env[name]
      return typeof value === 'string' && fits(value, folder) ? [[name, value]] : []
    }),
  )
}

export const REMEMBERED = Object.keys(SHAPES)
