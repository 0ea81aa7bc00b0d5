// Tokens at the window: whoever sits there is the person, so nobody is asked, and everything is on record first.

import type { TokenDays } from '../../src-shared/approval.ts'
import type { Entry } from '../../src-shared/audit.ts'
import type { Core } from './core.ts'
import type { Api } from './rpc.ts'

interface Acts {
  core: () => Core
  changing: <T>(what: 'clients', event: string, detail: Entry['detail'], act: () => T | Promise<T>) => Promise<T>
}

export function createTokensApi({ core, changing }: Acts) {
  return {
    'tokens.list': () => core().tokens.list(),
    'tokens.add': ({ id, name, policy, days }) =>
      changing('clients', 'token.added', { client: id, policy, days }, () => core().tokens.add(id, name, policy, days)),
    'tokens.rotate': ({ id, days: chosen }) => {
      const days: TokenDays = chosen === undefined ? 'same' : chosen
      return changing('clients', 'token.rotated', { client: id, days }, () => core().tokens.rotate(id, days))
    },
    'tokens.revoke': ({ id }) => {
      core().tokens.known(id)
      return changing('clients', 'token.revoked', { client: id }, async () => {
        await core().revokeClient(id)
        return null
      })
    },
  } satisfies Partial<Api>
}
