// Starting at login the freedesktop way: a file that the session reads.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export interface Autostart {
  isOn: () => boolean
  set: (on: boolean) => void
}

export function autostartFile(env: NodeJS.ProcessEnv, home: string, command: string[]): Autostart {
  const config = env['XDG_CONFIG_HOME']
  const folder = path.join(config !== undefined && path.isAbsolute(config) ? config : path.join(home, '.config'), 'autostart')
  const file = path.join(folder, 'countersign.desktop')
  return {
    isOn: () => {
      try {
        // Desktops switch an entry off by a line in it.
        return !/^(Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/m.test(readFileSync(file, 'utf8'))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
        throw error
      }
    },
    set: (on) => {
      if (!on) return rmSync(file, { force: true })
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(file, entry(command), { mode: 0o644 })
    },
  }
}

function entry(command: string[]): string {
  const lines = ['[Desktop Entry]', 'Type=Application', 'Name=Countersign', 'Comment=Approves what AI clients do with your secrets']
  return [
    ...lines,
    `Exec=${command.map(quote).join(' ')}`,
    // Where the program is gone, so is the entry.
    `TryExec=${(command[0] ?? '').replaceAll('\\', '\\\\')}`,
    'Icon=countersign',
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
}

/** Quoted for Exec: inside double quotes " ` $ \ are escaped, for the file once more the backslashes; a % is doubled. */
function quote(word: string): string {
  const quoted = word
    .replace(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
  return `"${quoted}"`
}
