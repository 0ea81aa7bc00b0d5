// How a command ends. Scripts rely on these numbers.

import { ENDED_THE_CONNECTION, NOT_RUNNING, texts } from '../../src-shared/texts.ts'
import { LinkError, RequestFailed } from '../link/connect.ts'

export const EXIT = { ok: 0, failure: 1, usage: 2, notFound: 3, denied: 4, exists: 5, notRunning: 6, noKey: 7, behind: 8 } as const
export type Exit = (typeof EXIT)[keyof typeof EXIT]

/** A command cannot do what was asked: the sentence to show, and the number to leave with. */
export class Stop extends Error {
  override name = 'Stop'
  readonly exit: Exit
  constructor(exit: Exit, message: string) {
    super(message)
    this.exit = exit
  }
}

/** A tool answers with sentences that the contract fixes, so the sentence tells what happened. */
export function exitOfToolError(text: string): Exit {
  const begins = (...starts: string[]) => starts.some((start) => text.startsWith(start))
  if (begins(texts.secretNotFound(''), texts.policyNotFound(''), 'There is no token ')) return EXIT.notFound
  if (begins('Secret already exists: ', 'There is a client ')) return EXIT.exists
  if (begins('Access denied: ', texts.denied, texts.expired) || text.endsWith(' is never shown to AI clients')) return EXIT.denied
  return EXIT.failure
}

/** Whatever went wrong, as a sentence and a number. */
export function stopOf(error: unknown): Stop {
  if (error instanceof Stop) return error
  if (error instanceof LinkError) return stopOfLink(error)
  if (error instanceof RequestFailed) return new Stop(exitOfFault(error), error.message)
  return new Stop(EXIT.failure, error instanceof Error ? error.message : 'Something went wrong.')
}

function exitOfFault({ fault }: RequestFailed): Exit {
  switch (fault.code) {
    case 'not found':
      return EXIT.notFound
    case 'exists':
      return EXIT.exists
    case 'forbidden':
      return EXIT.denied
    case 'bad params':
      return EXIT.usage
    case 'unknown method':
    case 'locked':
    case 'refused':
    case 'limited':
    case 'internal':
      return EXIT.failure
  }
}

/** Sentences of our own: a host that refuses us has not proven that it is ours. */
function stopOfLink({ code, message, wasEnded }: LinkError): Stop {
  switch (code) {
    case 'absent':
      return wasEnded ? new Stop(EXIT.failure, ENDED_THE_CONNECTION) : new Stop(EXIT.notRunning, NOT_RUNNING)
    case 'locked':
      return new Stop(EXIT.failure, 'The vault is locked; open it in Countersign, or unlock the keychain.')
    case 'unavailable':
      return new Stop(EXIT.failure, texts.keychainUnavailable('Countersign cannot reach it. To see what helps: countersign doctor'))
    case 'disk':
      return new Stop(EXIT.failure, texts.noRoom)
    case 'new':
      return new Stop(EXIT.failure, 'Countersign is not set up yet; open it and follow its first page.')
    case 'damaged':
      return new Stop(EXIT.failure, texts.damaged)
    case 'refused':
      return new Stop(EXIT.failure, 'Countersign does not accept the key of the command line; restart it, so that it makes a new one.')
    case 'version':
      return new Stop(EXIT.failure, 'This command and the Countersign that is running do not match; restart Countersign.')
    case 'unsafe':
      return new Stop(EXIT.failure, message)
    case 'silent':
      return new Stop(EXIT.failure, 'Countersign does not answer; restart it.')
    case 'lost':
      return new Stop(EXIT.failure, texts.interrupted)
  }
}
