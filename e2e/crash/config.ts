// What the person has set (I8): it parses, and it is what they were last told, or that with the one edit that was cut short.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { CLI_CLIENT_ID } from '../../src-shared/client.ts'
import { DEFAULT_POLICY } from '../../src-shared/policy.ts'
import type { Person } from '../support/host.ts'
import type { Place } from '../support/invariants.ts'
import { edited, type Config, type Witness } from './witness.ts'

/** The AI client whose file is edited, and what else stands in it. */
export const REGISTERED = 'cursor'
export const configFile = (home: string): string => path.join(home, '.cursor', 'mcp.json')
export const FOREIGN = { mcpServers: { other: { command: 'other', args: ['--keep', 'me'] } }, theme: 'dark' }

export async function aboutConfig(person: Person, { data, home }: Place, witness: Witness): Promise<string[]> {
  const found: string[] = []
  const { policies, refused } = await person.ask('policies.list')
  if (refused.length > 0) found.push(`I8: policies were refused: ${refused.join(', ')}`)
  const clients = (await person.ask('clients.list')).map(({ id }) => id)
  const entry = entryIn(home)
  if (typeof entry === 'string') found.push(`I8: ${entry}`)
  const now: Config = {
    policies: new Map(policies.filter(({ name }) => name !== DEFAULT_POLICY.name).map(({ name, description }) => [name, description])),
    clients: new Set(clients.filter((id) => id !== CLI_CLIENT_ID && id !== REGISTERED)),
    waitSeconds: (await person.ask('settings.get')).waitSeconds,
    registered: entry === true ? 'in' : 'out',
  }
  const { config, doubt } = witness
  if (doubt?.is === 'registration' || doubt?.is === 'no registration') config.registered = 'doubt'
  const known = [config, ...(doubt === null ? [] : [edited(config, doubt)])]
  if (!known.some((one) => same(now, one)))
    found.push(`I8: what is set is ${show(now)}, what was acknowledged is ${known.map(show).join(' or ')}`)
  if (config.registered === 'in' && !clients.includes(REGISTERED)) found.push(`I8: '${REGISTERED}' is registered and has no key`)
  found.push(...aboutKeys(data, clients))
  witness.config = { ...now, registered: config.registered === 'doubt' ? 'doubt' : now.registered }
  witness.doubt = null
  return found
}

const same = (now: Config, known: Config): boolean =>
  isDeepStrictEqual({ ...now, registered: known.registered === 'doubt' ? 'doubt' : now.registered }, known)
const show = ({ policies, clients, ...rest }: Config): string =>
  JSON.stringify({ policies: Object.fromEntries(policies), clients: [...clients], ...rest })

/** Whether our entry is in the AI client's file; a sentence where the file is not what it should be. */
function entryIn(home: string): boolean | string {
  const text = readFileSync(configFile(home), 'utf8')
  try {
    const { mcpServers, ...others } = JSON.parse(text) as typeof FOREIGN & { mcpServers: { countersign?: object } }
    const { countersign, ...servers } = mcpServers
    if (!isDeepStrictEqual({ mcpServers: servers, ...others }, FOREIGN)) return 'the AI client lost a part of its config'
    return countersign !== undefined
  } catch {
    return 'the config of the AI client does not parse'
  }
}

/** Each registration has the key its bridge looks for, and nobody else has one. */
function aboutKeys(data: string, clients: readonly string[]): string[] {
  const folder = path.join(data, 'keys')
  const keys = existsSync(folder) ? readdirSync(folder).map((name) => name.replace(/\.key$/, '')) : []
  return isDeepStrictEqual(keys.toSorted(), [...clients].toSorted())
    ? []
    : [`I8: there are keys of ${keys.toSorted().join(', ')} and clients ${[...clients].toSorted().join(', ')}`]
}
