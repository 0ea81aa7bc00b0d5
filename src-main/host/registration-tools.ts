// What the command line may ask about registrations. Each of these asks a person: an agent with a shell must not let itself in.

import { texts } from '../../src-shared/texts.ts'
import type { Request } from './call.ts'
import { Refusal } from './errors.ts'
import type { Policies } from './policies.ts'
import type { Detail } from './record.ts'
import type { Registrations } from './registrations.ts'
import { failure, success, type ToolResult } from './tool-result.ts'

export type RegistrationRequest = Extract<Request, { app: string }>

export function createRegistrationTools({ registrations, policies }: { registrations: Registrations; policies: Policies }) {
  const act = (request: RegistrationRequest) => {
    switch (request.tool) {
      case 'add_client':
        return 'add'
      case 'repair_client':
        return 'repair'
      case 'remove_client':
        return 'remove'
    }
  }

  /** Before anybody is asked: a file that would not be written, a client that is not here, a policy that there is not. */
  const refused = (request: RegistrationRequest): ToolResult | null => {
    if (request.tool === 'add_client' && policies.get(request.policy) === null) {
      return failure(texts.policyNotFound(request.policy), 'denied', { reason: 'not found' })
    }
    try {
      const [broken] = registrations.preview(request.app, act(request)).filter(({ trouble }) => trouble !== null)
      if (broken === undefined || broken.trouble === null) return null
      const { message, line, column } = broken.trouble
      const where = line === null ? '' : `, line ${line}, column ${column}`
      return failure(`${broken.path}${where}: ${message}. It was left as it is.`, 'failed', { reason: 'file refused', path: broken.path })
    } catch (error) {
      if (error instanceof Refusal) return failure(error.message, 'denied', { reason: error.code })
      throw error
    }
  }

  const run = async (request: RegistrationRequest): Promise<ToolResult> => {
    switch (request.tool) {
      case 'add_client': {
        const info = await registrations.add(request.app, request.policy)
        return success(`Registered ${info.name}. ${info.after}`, { ...info })
      }
      case 'repair_client': {
        const info = await registrations.repair(request.app)
        return success(`Repaired ${info.name}. ${info.after}`, { ...info })
      }
      case 'remove_client': {
        const info = await registrations.remove(request.app)
        return success(`Removed Countersign from ${info.name}.`, { ...info })
      }
    }
  }

  return {
    refused,

    /** What speaks against a file that would be written all the same. */
    warning: (request: RegistrationRequest): string | null =>
      registrations
        .preview(request.app, act(request))
        .flatMap(({ path, warning }) => (warning === null ? [] : [`${path}: ${warning}`]))
        .join(' ') || null,

    intentOf: (request: RegistrationRequest): { fingerprint: null; detail: Detail } => ({
      fingerprint: null,
      detail: {
        registration: request.app,
        files: registrations.preview(request.app, act(request)).map(({ path }) => path),
        ...('policy' in request ? { policy: request.policy } : {}),
      },
    }),

    run: async (request: RegistrationRequest): Promise<ToolResult> => {
      try {
        return refused(request) ?? (await run(request))
      } catch (error) {
        if (error instanceof Refusal) return failure(error.message, 'failed')
        throw error
      }
    },
  }
}
