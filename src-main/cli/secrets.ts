import { EXIT } from './exit.ts'
import { callTool } from './host.ts'
import { readValue } from './input.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'

export async function listSecrets(io: Io, scope: string | null): Promise<Output> {
  const { structured } = await callTool(io, 'list_secrets', scope === null ? {} : { scope })
  const names = structured['names'] as string[] // As the tool's output schema says.
  return { json: names, lines: names }
}

/** The value goes out exactly as it is; a terminal gets a line end after it. */
export async function getSecret(io: Io, name: string): Promise<Output> {
  const { text } = await callTool(io, 'get_secret', { name })
  return { json: { name, value: text }, raw: text }
}

export async function storeSecret(io: Io, name: string, force: boolean): Promise<Output> {
  const value = await readValue(io)
  const { text, structured } = await callTool(io, 'store_secret', { name, value, force })
  const note = value.endsWith('\n') ? 'It ends with a line end, as it was piped in. To leave that out: printf %s' : null
  return { json: structured, lines: [text], note }
}

export async function removeSecret(io: Io, name: string): Promise<Output> {
  const { text, structured } = await callTool(io, 'remove_secret', { name })
  return { json: structured, lines: [text], exit: structured['removed'] === false ? EXIT.notFound : EXIT.ok }
}

export async function testPolicy(io: Io, scope: string, name: string): Promise<Output> {
  const { text, structured } = await callTool(io, 'test_policy', { scope, secret_name: name })
  return { json: structured, lines: [text], exit: text === 'allowed' ? EXIT.ok : EXIT.denied }
}
