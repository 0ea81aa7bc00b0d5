import { describe, expect, test } from 'vitest'
import { texts } from '../../src-shared/texts.ts'
import { LinkError, RequestFailed, type HostLink, type RequestOptions } from '../link/connect.ts'
import { BadCursor, HostAbsent, type ToolCall } from '../mcp/backend.ts'
import { createBackend } from './backend.ts'
import type { HostLine } from './host-line.ts'
import { REPEAT_READ } from './sentences.ts'

/** The line is a port of the backend: each test says how its host behaves. */
function lineTo(request: (options: RequestOptions) => Promise<unknown>): HostLine {
  const ignore = () => undefined
  const link: HostLink = {
    request: (_method, _params, options) => request(options ?? {}),
    onEvent: ignore,
    onClose: ignore,
    onDrain: ignore,
    queued: () => 0,
    close: ignore,
  }
  return { begin: ignore, get: async () => link, queued: () => 0, close: ignore }
}

const unanswered = ({ signal }: RequestOptions) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))

const call = (tool: string, onWaiting = (): void => undefined): ToolCall => ({ tool, arguments: {}, says: null, onWaiting })
const patient = new AbortController().signal

describe('a call', () => {
  test('that the host does not answer in time is a timeout, and the host is told', async () => {
    let told = false
    const line = lineTo((options) => {
      options.signal?.addEventListener('abort', () => (told = true))
      return unanswered(options)
    })
    expect(await createBackend(line, null, { limitMs: 50 }).callTool(call('store_secret'), patient)).toEqual({ kind: 'timeout' })
    expect(told).toBe(true)
  })

  test('that waits for a person may take longer, as long as it says so', async () => {
    let signs = 0
    const line = lineTo(async ({ onWaiting, signal }) => {
      for (let i = 0; i < 6; i++) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        signal?.throwIfAborted()
        onWaiting?.('Waiting for approval')
      }
      return { kind: 'result', text: 'done', isError: false }
    })
    const reply = await createBackend(line, null, { limitMs: 400 }).callTool(
      call('store_secret', () => void signs++),
      patient,
    )
    expect(reply).toMatchObject({ text: 'done' })
    expect(signs).toBe(6)
  })

  test('that was cancelled before it could be sent is not sent', async () => {
    let sent = false
    const line = lineTo(async () => (sent = true))
    await expect(createBackend(line, null).callTool(call('store_secret'), AbortSignal.abort())).rejects.toThrow()
    expect(sent).toBe(false)
  })

  test.each([
    ['get_secret', REPEAT_READ],
    ['list_secrets', REPEAT_READ],
    ['test_policy', REPEAT_READ],
    ['store_secret', texts.interrupted],
    ['remove_secret', texts.interrupted],
    ['something_new', texts.interrupted],
  ])('of %s whose link broke says what is known', async (tool, text) => {
    const line = lineTo(() => Promise.reject(new LinkError('lost', '')))
    expect(await createBackend(line, null).callTool(call(tool), patient)).toEqual({ kind: 'result', isError: true, text })
  })

  test('that the host failed at by a mistake of its own is passed on as such', async () => {
    const line = lineTo(() => Promise.reject(new RequestFailed({ code: 'internal', message: 'x' })))
    await expect(createBackend(line, null).callTool(call('get_secret'), patient)).rejects.toThrow(RequestFailed)
  })
})

test('a cursor that the host refuses is a bad cursor', async () => {
  const line = lineTo(() => Promise.reject(new RequestFailed({ code: 'bad params', message: 'not ours' })))
  await expect(createBackend(line, null).listResources('x')).rejects.toThrow(BadCursor)
})

test('a refusal that could not be recorded is not an error of the bridge', async () => {
  let asked = false
  const line = lineTo(async () => {
    asked = true
    throw new LinkError('lost', '')
  })
  createBackend(line, null).recordRejected({ tool: null, fields: [], reason: 'x', says: null })
  await expect(createBackend(line, null).readResource('x')).rejects.toThrow(HostAbsent)
  expect(asked).toBe(true)
})

test('a refusal counts until it is on record, so that whoever makes too many can be made to wait', async () => {
  const recorded: (() => void)[] = []
  const line = lineTo(() => new Promise((resolve) => recorded.push(() => resolve(null))))
  const relief = Promise.withResolvers<void>()
  const backend = createBackend(line, null, { onRecorded: relief.resolve })
  for (let n = 0; n < 3; n++) backend.recordRejected({ tool: null, fields: [], reason: 'x', says: null })
  await expect.poll(() => recorded.length).toBe(3)
  expect(backend.unrecorded()).toBe(3)
  recorded[0]?.()
  await relief.promise
  expect(backend.unrecorded()).toBe(2)
})

test('without a host nothing counts as unrecorded', async () => {
  const line: HostLine = { ...lineTo(unanswered), get: () => Promise.reject(new LinkError('absent', '')) }
  const backend = createBackend(line, null)
  backend.recordRejected({ tool: null, fields: [], reason: 'x', says: null })
  await expect(backend.readResource('x')).rejects.toThrow(HostAbsent)
  expect(backend.unrecorded()).toBe(0)
})
