// Every answer must belong to a request that was sent.

import { promise } from './target.ts'

/** The ids that a reader could find in these bytes, each as JSON, so that 1 and "1" stay apart. */
export function idsIn(input: Buffer): string[] {
  return input
    .toString()
    .split('\n')
    .flatMap((line) => {
      try {
        return ([JSON.parse(line.replace(/^\ufeff/, ''))] as unknown[]).flat().flatMap(idOf)
      } catch {
        return []
      }
    })
}

function idOf(message: unknown): string[] {
  if (typeof message !== 'object' || message === null || !('id' in message)) return []
  return [JSON.stringify(message.id)]
}

export interface Answer {
  id?: unknown
  method?: string
  error?: { code?: unknown; message?: unknown }
  result?: unknown
}

/** How it was answered, in short. */
export function expectOwn(answer: Answer, sent: ReadonlySet<string>): string {
  if (answer.method !== undefined) {
    promise(answer.id === undefined, 'we ask our clients nothing')
    return `told ${answer.method}`
  }
  promise((answer.error === undefined) !== (answer.result === undefined), 'an answer is a result or an error')
  if (answer.id === null) promise(answer.error !== undefined, 'only an error may lack its id')
  else promise(sent.has(JSON.stringify(answer.id)), 'an answer has the id of a request')
  return answer.error === undefined ? 'result' : `${String(answer.error.code)} ${String(answer.error.message).slice(0, 40)}`
}
