// The kinds of resource there are.

import type { JsonObject } from './json.ts'
import { CODE, ProtocolError } from './jsonrpc.ts'
import { since } from './revisions.ts'
import type { Context } from './session.ts'

export const MIME_TYPE = 'application/json'

interface Template {
  uriTemplate: string
  name: string
  title: string
  description: string
  completes: 'secret' | 'policy' | null
}

export const TEMPLATES: readonly Template[] = [
  {
    uriTemplate: 'countersign://secrets/{name}',
    name: 'secret',
    title: 'Secret',
    description: 'What is known of a secret: its dates, version and tags, never its value.',
    completes: 'secret',
  },
  {
    uriTemplate: 'countersign://policies/{name}',
    name: 'policy',
    title: 'Policy',
    description: 'A policy: which names it allows and how reads are treated.',
    completes: 'policy',
  },
  {
    uriTemplate: 'countersign://audit/{seq}',
    name: 'audit entry',
    title: 'Audit entry',
    description: 'An entry of the audit log about a call of this client.',
    completes: null,
  },
]

export function listTemplates({ request }: Context): JsonObject {
  const cursor = request.params['cursor']
  if (cursor !== undefined && cursor !== null)
    throw new ProtocolError(CODE.params, 'cursor is not one of ours: the templates fit on one page')
  const titled = since(request.revision, '2025-06-18')
  return {
    resourceTemplates: TEMPLATES.map(({ uriTemplate, name, title, description }) => ({
      uriTemplate,
      name,
      ...(titled ? { title } : {}),
      description,
      mimeType: MIME_TYPE,
    })),
  }
}
