// The schemas of the protocol's revisions, as the suite carries them inside its one file. It exports nothing, so they are cut out
// of its text; what is cut must turn out to be the four revisions it knows, or nothing is judged by it.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { runInNewContext } from 'node:vm'
import type { JsonObject } from '../../src-main/mcp/json.ts'

export const WITH_SCHEMA = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const
export type WithSchema = (typeof WITH_SCHEMA)[number]

/** What is wrong with a message of ours, as sentences. `method`: of the request it answers. */
export type Examine = (revision: WithSchema, message: JsonObject, method?: string) => string[]

type Definitions = Record<string, { properties?: { method?: { const?: string } } }>
interface Validator {
  (value: unknown): boolean
  errors?: { instancePath: string; message?: string }[] | null
}
interface Validators {
  addSchema: (schema: object) => void
  addFormat: (name: string, format: true) => void
  compile: (schema: object) => Validator
}

export function openSchemas(folder: string): Examine {
  const schemas = cutOut(readFileSync(path.join(folder, 'dist', 'index.js'), 'utf8'))
  if (schemas.length !== WITH_SCHEMA.length) throw new Error(`the suite carries ${schemas.length} schemas, not ${WITH_SCHEMA.length}`)
  // Its own validator, which need not be a dependency of ours.
  const load = createRequire(path.join(folder, 'dist', 'index.js'))
  const books = new Map(WITH_SCHEMA.map((revision, index) => [revision, openBook(load, schemas[index] ?? {})]))
  return (revision, message, method) => books.get(revision)?.(message, method) ?? [`there is no schema of ${revision}`]
}

function openBook(load: NodeJS.Require, schema: JsonObject): (message: JsonObject, method?: string) => string[] {
  const key = '$defs' in schema ? '$defs' : 'definitions'
  const definitions = schema[key] as Definitions
  const { Ajv2020, default: Ajv } = load(key === '$defs' ? 'ajv/dist/2020.js' : 'ajv') as Record<
    string,
    new (options: object) => Validators
  >
  const Class = Ajv2020 ?? Ajv
  if (Class === undefined) throw new Error('the suite has another validator than it had')
  const ajv = new Class({ strict: false, allErrors: true })
  const formats = load('ajv-formats') as { default: (ajv: Validators) => void }
  formats.default(ajv)
  ajv.addFormat('byte', true)
  ajv.addSchema({ ...schema, $id: 'mcp' })
  const named = new Map(
    Object.entries(definitions).flatMap(([name, { properties }]) =>
      properties?.method?.const === undefined ? [] : [[properties.method.const, name]],
    ),
  )
  const check = (name: string, value: unknown): string[] => {
    const validate = ajv.compile({ $ref: `mcp#/${key}/${name}` })
    return validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${name}${instancePath} ${message ?? ''}`)
  }
  return (message, method) => {
    if (typeof message['method'] === 'string') return check(named.get(message['method']) ?? 'JSONRPCNotification', message)
    if (message['error'] !== undefined)
      return check('JSONRPCErrorResponse' in definitions ? 'JSONRPCErrorResponse' : 'JSONRPCError', message)
    const envelope = check('JSONRPCResultResponse' in definitions ? 'JSONRPCResultResponse' : 'JSONRPCResponse', message)
    const request = method === undefined ? undefined : named.get(method)
    const result = request?.replace(/Request$/, 'Result') ?? ''
    return [...envelope, ...(result in definitions ? check(result, message['result']) : [])]
  }
}

/** The object literals that begin as a schema of the protocol does, in their order. */
function cutOut(code: string): JsonObject[] {
  const starts = [...code.matchAll(/\{\$schema:`https?:\/\/json-schema\.org\/[^`]+`,(?:definitions|\$defs):\{Annotations:/g)]
  return starts.map(({ index }) => runInNewContext(`(${code.slice(index, endOf(code, index))})`) as JsonObject)
}

/** Where the bracket that opens at `start` closes; brackets within strings do not count. */
function endOf(code: string, start: number): number {
  let depth = 0
  for (let at = start; at < code.length; at++) {
    const letter = code[at] ?? ''
    if ('`\'"'.includes(letter)) {
      do at++
      while (code[at] !== letter || code[at - 1] === '\\')
    } else if (letter === '{') depth++
    else if (letter === '}' && --depth === 0) return at + 1
  }
  throw new Error('a schema in the suite does not end')
}
