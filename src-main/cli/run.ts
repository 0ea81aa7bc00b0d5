import { parseCommand, type Command } from './arguments.ts'
import { exportAudit, showAudit, verifyAudit } from './audit.ts'
import { exportBackup, importBackup } from './backup.ts'
import { runClients } from './clients.ts'
import { runTokens } from './tokens.ts'
import { examine } from './doctor/doctor.ts'
import { stopOf, type Exit } from './exit.ts'
import { HELP } from './help.ts'
import type { Io } from './io.ts'
import { VERSION } from '../version.ts'
import { print, printStop, type Output } from './output.ts'
import { showStatus, startOrShow } from './running.ts'
import { getSecret, listSecrets, removeSecret, storeSecret, testPolicy } from './secrets.ts'

/** Runs one command and returns the number to leave with. */
export async function run(argv: string[], io: Io): Promise<Exit> {
  const asJson = argv.includes('--json')
  try {
    return print(io, await perform(parseCommand(argv, Date.now()), io), asJson)
  } catch (error) {
    return printStop(io, stopOf(error), asJson)
  }
}

function perform(command: Command, io: Io): Promise<Output> | Output {
  switch (command.is) {
    case 'help':
      return { json: { help: HELP }, raw: HELP }
    case 'version':
      return { json: { version: VERSION }, lines: [VERSION] }
    case 'start':
      return startOrShow(io)
    case 'status':
      return showStatus(io)
    case 'doctor':
      return examine(io, command.full)
    case 'list':
      return listSecrets(io, command.scope)
    case 'get':
      return getSecret(io, command.name)
    case 'store':
      return storeSecret(io, command.name, command.force)
    case 'remove':
      return removeSecret(io, command.name)
    case 'policy test':
      return testPolicy(io, command.scope, command.name)
    case 'audit show':
      return showAudit(io, command.filter, command.limit)
    case 'audit export':
      return exportAudit(io, command.filter, command.file, command.format)
    case 'audit verify':
      return verifyAudit(io)
    case 'clients token list':
    case 'clients token add':
    case 'clients token rotate':
    case 'clients token revoke':
      return runTokens(io, command)
    case 'clients list':
    case 'clients scan':
    case 'clients add':
    case 'clients repair':
    case 'clients remove':
    case 'clients remove all':
      return runClients(io, command)
    case 'backup export':
      return exportBackup(io, command.file)
    case 'backup import':
      return importBackup(io, command.file, command.withKeys)
  }
}
