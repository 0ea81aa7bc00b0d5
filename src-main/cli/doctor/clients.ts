// The AI clients on this computer: our entry in their files, the program it names, and the key it needs.

import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import type { RegistrationInfo } from '../../../src-shared/registration.ts'
import { readKey } from '../../adapters/key-files.ts'
import { note, ok, trouble, type Finding } from './finding.ts'

export function checkClients(clients: readonly RegistrationInfo[], folder: string): Finding[] {
  const here = clients.filter(({ state }) => state !== 'absent')
  if (here.length === 0) {
    return [note('Clients', 'No AI client that Countersign knows was found here.', 'Register one by hand, in the window under Clients.')]
  }
  return here.map((client) => checkClient(client, folder))
}

function checkClient(info: RegistrationInfo, folder: string): Finding {
  const { id, name, state, files, givenUp } = info
  if (givenUp) return trouble(name, 'It keeps removing our entry.', `Quit it completely, then: countersign clients repair ${id}`)
  switch (state) {
    case 'absent':
    case 'detected':
      return note(name, 'It is here, and not registered.', `countersign clients add ${id}`)
    case 'vanished':
      return trouble(name, 'Our entry is gone from its file.', `countersign clients repair ${id}`)
    case 'changed':
      return trouble(name, 'The entry of our name in its file is not the one we write.', `countersign clients repair ${id}`)
    case 'broken': {
      const [broken] = files.filter((file) => file.trouble !== null)
      const { line, column, message } = broken?.trouble ?? { line: null, column: null, message: 'it cannot be read' }
      const place = `${broken?.path ?? 'its file'}${line === null ? '' : `, line ${line}, column ${column}`}`
      return trouble(name, `${place}: ${message}.`, `Mend the file, then: countersign clients add ${id}`)
    }
    case 'registered':
      return checkEntry(info, folder)
  }
}

/** The entry stands as it should; does it lead anywhere? */
function checkEntry({ id, name, command, policy }: RegistrationInfo, folder: string): Finding {
  const gone = missingProgram(command)
  if (gone !== null) {
    return trouble(
      name,
      `Its entry starts ${gone}, which is not there.`,
      `Start Countersign from where it is now, then: countersign clients repair ${id}`,
    )
  }
  if (!hasKey(folder, id)) return trouble(name, 'Its key is missing or not readable.', 'Restart Countersign: it puts the key back.')
  return ok(name, `It is registered with the policy '${policy}'; its command and its key are there.`)
}

function missingProgram([command = '', script]: readonly string[]): string | null {
  if (path.isAbsolute(command) && !may(command, constants.X_OK)) return command
  return script !== undefined && path.isAbsolute(script) && !may(script, constants.R_OK) ? script : null
}

function may(file: string, mode: number): boolean {
  try {
    accessSync(file, mode)
    return true
  } catch {
    return false
  }
}

function hasKey(folder: string, id: string): boolean {
  try {
    return readKey(folder, id) !== null
  } catch {
    return false // Open to others, or not a plain file: the bridge refuses it as well.
  }
}
