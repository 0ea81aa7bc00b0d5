// The sentences AI clients read. Fixed by the contract: tests compare them to the letter.

export const NOT_RUNNING = 'Countersign is not running. Start it, then repeat the call.'

export const ENDED_THE_CONNECTION =
  'Countersign ended the connection: it is leaving, or has too many files open. Repeat the call; if this goes on, restart Countersign.'

export const texts = {
  secretNotFound: (name: string) => `Secret not found: ${name}`,
  neverShown: (name: string) => `'${name}' is never shown to AI clients`,
  policyNotFound: (scope: string) => `Policy not found: ${scope}`,
  stored: (name: string) => `Stored secret '${name}'`,
  alreadyExists: (name: string) => `Secret already exists: ${name} (pass force=true to overwrite)`,
  removed: (name: string) => `Removed: ${name}`,
  nothingToRemove: (name: string) => `Not found: ${name}`,
  outsidePolicy: (name: string, policy: string) => `Access denied: '${name}' is outside this client's policy '${policy}'`,
  denied: 'Denied by the person',
  expired: 'The request for approval expired unanswered',
  tooManyPrompts: 'Too many open approval requests; wait for an answer',
  coolingDown: (until: string) => `This client is paused until ${until}: two requests expired unanswered`,
  clientPaused: 'This client is paused; resume it in Countersign',
  allPaused: 'Countersign is paused; resume it, then repeat the call',
  tooManyCalls: (perSecond: number) => `Too many calls; at most ${perSecond} a second`,
  tooManyInFlight: (limit: number) => `Too many calls at once; at most ${limit} in flight`,
  keychainLocked: 'The keychain is locked; unlock it and try again',
  keychainUnavailable: (reason: string) => `The keychain is not available: ${reason}`,
  notRecorded: (reason: string) => `This call cannot be recorded, so it was not made: ${reason}`,
  notWritten: (reason: string) => `This cannot be written, so it was not made: ${reason}`,
  madeUnrecorded: (reason: string) => `The call was made, but its outcome cannot be recorded yet: ${reason}`,
  changedOutside: (name: string) => `'${name}' was changed by another program; open Countersign to adopt or restore it`,
  answerFailed: (reason: string | null) =>
    `The person allowed it, but the answer could not be carried out, so the call was not made${reason === null ? '' : `: ${reason}`}`,
  waiting: (request: string) =>
    `Waiting for approval (request ${request}). Ask the person to answer it in Countersign, then repeat the same call.`,
  unknownTool: (tool: string) => `Unknown tool: ${tool}`,
  invalidArgument: (field: string, fault: string) => `Invalid argument '${field}': ${fault}`,
  changedMeanwhile: (name: string) => `'${name}' changed while the request was open; repeat the call`,
  clientExists: (id: string) => `There is a client '${id}' already`,
  tokenNotFound: (id: string) => `There is no token '${id}'`,
  vaultNotOpened: (reason: string) => `Countersign cannot open its vault: ${reason}. It goes on by itself once it can.`,
  noRoom: 'Countersign cannot open its vault, because the disk is full or cannot be written. Make room, then repeat the call.',
  damaged: 'Countersign found its database damaged; open Countersign to restore it',
  interrupted: 'Countersign stopped before the call ended; it may or may not have been made. Look before you repeat it.',
} as const
