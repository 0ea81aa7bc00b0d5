// What a client is told when its call cannot reach the host. Sentences of our own throughout: what a host says before it has
// proven itself is not passed on to a model.

import { ENDED_THE_CONNECTION, NOT_RUNNING, texts } from '../../src-shared/texts.ts'
import type { LinkError } from '../link/connect.ts'

export const REPEAT_READ = 'Countersign stopped before it answered; repeat the call.'

export function sentenceFor({ code, message, wasEnded }: LinkError, client: string | null): string {
  switch (code) {
    case 'absent':
      return wasEnded ? ENDED_THE_CONNECTION : NOT_RUNNING
    case 'locked':
      return texts.keychainLocked
    case 'unavailable':
      return texts.keychainUnavailable('Countersign cannot reach it; open Countersign to see what helps')
    case 'disk':
      return texts.noRoom
    case 'damaged':
      return texts.damaged
    case 'new':
      return 'Countersign is not set up yet; open it, follow its first page, then repeat the call.'
    case 'refused':
      return client === null
        ? 'Countersign refused the connection; restart it, then repeat the call.'
        : `The registration '${client}' is missing or revoked; add this client again in Countersign.`
    case 'version':
      return 'This bridge and the Countersign that is running do not match; restart both.'
    case 'unsafe':
      return message
    case 'silent':
      return 'Countersign does not answer; restart it, then repeat the call.'
    case 'lost':
      return REPEAT_READ
  }
}
