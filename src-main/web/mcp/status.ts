import { CODE, type Response } from '../../mcp/jsonrpc.ts'

/** Up to 2025-11-25 an error has the status of our table; a method that does not exist is told in the body alone. */
export function statusOf(answer: Response | Response[], isModern: boolean): number {
  if (Array.isArray(answer) || 'result' in answer) return 200
  switch (answer.error.code) {
    case CODE.method:
      return isModern ? 404 : 200
    case CODE.resource:
      return 404
    case CODE.internal:
    case CODE.timeout:
    case CODE.unavailable:
      return 200
    default:
      return 400
  }
}
