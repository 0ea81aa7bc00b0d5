// completion/complete: names of secrets and policies, as far as the client's policy shows them.

import { HostAbsent } from './backend.ts'
import { isObject, type JsonObject } from './json.ts'
import { CODE, ProtocolError } from './jsonrpc.ts'
import type { Context, Core } from './session.ts'
import { TEMPLATES } from './templates.ts'

/** What the arguments of our tools name, for clients that complete those too. */
const TOOL_ARGUMENTS = new Map<string, 'secret' | 'policy'>([
  ['name', 'secret'],
  ['secret_name', 'secret'],
  ['scope', 'policy'],
])

const MAX_COMPLETIONS = 100
const MAX_PREFIX = 200

export async function complete({ core, request }: Context): Promise<JsonObject> {
  const { ref, argument } = request.params
  if (!isObject(ref) || typeof ref['type'] !== 'string') throw new ProtocolError(CODE.params, 'ref must be an object with a type')
  if (!isObject(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string') {
    throw new ProtocolError(CODE.params, 'argument must be an object with the strings name and value')
  }
  const what = completed(ref, argument['name'])
  const prefix = argument['value']
  const found = what === null || prefix.length > MAX_PREFIX ? NOTHING : await suggestions(core, what, prefix)
  const values = found.values.slice(0, MAX_COMPLETIONS)
  return { completion: { values, total: found.total, hasMore: found.total > values.length } }
}

const NOTHING: { values: string[]; total: number } = { values: [], total: 0 }

function completed(ref: JsonObject, argument: string): 'secret' | 'policy' | null {
  if (ref['type'] === 'ref/tool') return TOOL_ARGUMENTS.get(argument) ?? null
  if (ref['type'] !== 'ref/resource' || argument !== 'name') return null
  return TEMPLATES.find((template) => template.uriTemplate === ref['uri'])?.completes ?? null
}

/** Suggestions are a courtesy: without a host there are none, and that is no error. */
async function suggestions(core: Core, what: 'secret' | 'policy', prefix: string): Promise<{ values: string[]; total: number }> {
  try {
    return (await core.backend()?.complete(what, prefix)) ?? NOTHING
  } catch (error) {
    if (error instanceof HostAbsent) return NOTHING
    throw error
  }
}
