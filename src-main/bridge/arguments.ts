export interface BridgeArguments {
  /** The registration this bridge was launched for. */
  client: string | null
  unknown: string[]
}

/** A config entry may be older or newer than this program: what it does not know it leaves alone. */
export function readArguments(given: string[]): BridgeArguments {
  const result: BridgeArguments = { client: null, unknown: [] }
  const rest = given[0] === 'mcp' ? given.slice(1) : given
  for (let i = 0; i < rest.length; i++) {
    const argument = rest[i] ?? ''
    if (argument === '--client') result.client = rest[++i] ?? ''
    else if (argument.startsWith('--client=')) result.client = argument.slice('--client='.length)
    else result.unknown.push(argument)
  }
  return result
}
