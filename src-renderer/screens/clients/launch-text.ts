import type { Launch } from '../../../src-shared/rpc.ts'

/** As most AI clients want it, `mcpServers` and all. */
export function configEntry({ command, args, env }: Launch, clientId: string): string {
  const server = { command, args: [...args, '--client', clientId], ...(Object.keys(env).length > 0 && { env }) }
  return JSON.stringify({ mcpServers: { countersign: server } }, null, 2)
}

/** For a shell; nothing in it means anything to the shell but what it says. */
export function commandLine({ command, args, env }: Launch, clientId: string): string {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`)
  return [...settings, quoted(command), ...args.map(quoted), '--client', clientId].join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
