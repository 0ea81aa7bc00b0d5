// The five tools as clients see them. Names, arguments and required sets are fixed; the bridge serves this list with or
// without a host, so nothing here may depend on anything else.

export const TOOL_NAMES = ['get_secret', 'list_secrets', 'store_secret', 'remove_secret', 'test_policy'] as const
export type ToolName = (typeof TOOL_NAMES)[number]

interface JsonSchema {
  type: 'object'
  properties: Record<string, object>
  required?: string[]
}

export interface ToolDefinition {
  name: ToolName
  title: string
  description: string
  inputSchema: JsonSchema
  /** What `structuredContent` holds, for tools that answer with it. */
  outputSchema?: JsonSchema
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: false }
}

const text = (description: string) => ({ type: 'string', description })

export const TOOLS: readonly ToolDefinition[] = [
  {
    name: 'get_secret',
    title: 'Get secret',
    description: 'Retrieve a secret value by name.',
    inputSchema: { type: 'object', properties: { name: text('Secret name') }, required: ['name'] },
    // No output schema: the value is given once, as text. Several clients hand the model the structured copy instead, JSON-escaped.
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'list_secrets',
    title: 'List secrets',
    description: 'List all secret names, optionally filtered by a policy scope.',
    inputSchema: { type: 'object', properties: { scope: text('Policy scope to filter by (optional)') } },
    outputSchema: { type: 'object', properties: { names: { type: 'array', items: { type: 'string' } } }, required: ['names'] },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'store_secret',
    title: 'Store secret',
    description: 'Store or update a secret.',
    inputSchema: {
      type: 'object',
      properties: {
        name: text('Secret name'),
        value: text('Secret value'),
        force: { type: 'boolean', description: 'Overwrite if exists (default: false)' },
      },
      required: ['name', 'value'],
    },
    outputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, version: { type: 'integer' } },
      required: ['name', 'version'],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
  {
    name: 'remove_secret',
    title: 'Remove secret',
    description: 'Remove a secret from the vault.',
    inputSchema: { type: 'object', properties: { name: text('Secret name') }, required: ['name'] },
    outputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, removed: { type: 'boolean' } },
      required: ['name', 'removed'],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'test_policy',
    title: 'Test policy',
    description: 'Test whether a policy allows access to a secret name.',
    inputSchema: {
      type: 'object',
      properties: { scope: text('Policy/scope name'), secret_name: text('Secret name to test') },
      required: ['scope', 'secret_name'],
    },
    outputSchema: {
      type: 'object',
      properties: {
        allowed: { type: 'boolean' },
        rule: { type: 'string', description: "What decided, where it is the client's own policy" },
      },
      required: ['allowed'],
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
]
