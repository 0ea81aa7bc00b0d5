// One message, one answer, without a stream: as an HTTP endpoint uses the core.

import { describe, expect, it } from 'vitest'
import { answer } from './answer.ts'
import { MODERN } from './revisions.ts'
import { createSession, type Core } from './session.ts'
import { MODERN_META, recorder, SERVER_INFO } from './testing.ts'

function core(backend = recorder()): Core {
  return { backend: () => backend, serverInfo: SERVER_INFO, maxInFlight: 256, onBug: () => undefined, announces: true }
}
const quiet = { notify: () => undefined }
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_secret', arguments: { name: 'a' } } }

describe('a session of its own for each message', () => {
  it('answers in the revision it was made for', async () => {
    expect(await answer(core(), createSession('2025-06-18'), { jsonrpc: '2.0', id: 1, method: 'tools/list' }, quiet)).toHaveProperty(
      'result.tools.1.outputSchema',
    )
    expect(await answer(core(), createSession('2025-03-26'), [CALL], quiet)).toHaveLength(1)
  })

  it('made for 2026-07-28 wants the metadata of that era in the message', async () => {
    const session = createSession(MODERN)
    expect(await answer(core(), session, CALL, quiet)).toMatchObject({ id: 1, error: { code: -32602 } })
    const dressed = { ...CALL, params: { ...CALL.params, _meta: MODERN_META } }
    expect(await answer(core(), session, dressed, quiet)).toMatchObject({ id: 1, result: { resultType: 'complete' } })
  })

  it('has nothing to answer to a notification', async () => {
    expect(await answer(core(), createSession(), { jsonrpc: '2.0', method: 'notifications/initialized' }, quiet)).toBeNull()
  })
})

describe('a caller that hangs up', () => {
  it('aborts its call and gets no answer', async () => {
    const backend = recorder({ callTool: () => new Promise(() => undefined) })
    const caller = new AbortController()
    const coming = answer(core(backend), createSession(), CALL, { ...quiet, signal: caller.signal })
    expect(backend.calls[0]?.signal.aborted).toBe(false)
    caller.abort()
    expect(backend.calls[0]?.signal.aborted).toBe(true)
    expect(await coming).toBeNull()
  })

  it('before its call began has made none', async () => {
    const backend = recorder()
    expect(await answer(core(backend), createSession(), CALL, { ...quiet, signal: AbortSignal.abort() })).toBeNull()
    expect(backend.calls).toEqual([])
  })

  it('ends its subscription', async () => {
    const caller = new AbortController()
    const session = createSession()
    const listen = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: { resourcesListChanged: true }, _meta: MODERN_META },
    }
    const coming = answer(core(), session, listen, { ...quiet, signal: caller.signal })
    expect(session.listeners.size).toBe(1)
    caller.abort()
    expect(await coming).toBeNull()
    expect(session.listeners.size).toBe(0)
  })
})
