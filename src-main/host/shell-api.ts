// What a window may ask of the desktop around the host. Each is refused where there is none.

import type { Entry } from '../../src-shared/audit.ts'
import type { ShellState } from '../../src-shared/rpc.ts'
import { Refusal } from './errors.ts'
import type { Shell } from './ports.ts'
import type { Api } from './rpc.ts'

interface Acts {
  record: (event: string, fields: Partial<Entry>) => Promise<unknown>
  /** Records, then reads. */
  reveal: (name: string, version: number | undefined, purpose: 'copy') => Promise<string>
}

export function createShellApi(shell: Shell | null, { record, reveal }: Acts) {
  const present = (): Shell => {
    if (shell === null) throw new Refusal('There is no desktop around Countersign to do this; it runs headless')
    return shell
  }
  const state = (): ShellState => ({
    autostart: shell?.autostart.isOn() ?? null,
    clipboard: shell !== null,
    fileDialogs: shell !== null,
  })

  return {
    'shell.state': state,
    'shell.autostart': async ({ on }) => {
      const { autostart } = present()
      await record('autostart.changed', { detail: { on } })
      autostart.set(on)
      return state()
    },
    'shell.copy': async ({ text }) => {
      await present().copy(text, 'text')
      return null
    },
    'shell.chooseFile': async ({ mode, suggested }) => ({ path: await present().chooseFile(mode, suggested) }),
    'secrets.copy': async ({ name, version }) => {
      const { copy } = present()
      await copy(await reveal(name, version, 'copy'), 'secret')
      return null
    },
  } satisfies Partial<Api>
}
