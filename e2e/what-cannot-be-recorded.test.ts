// A disk that takes no more, as the kernel makes it: every write of the host beyond the limit fails, until the limit is lifted.

import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { openDesk, resultOf, saying } from './support/desk.ts'

const limitFiles = (pid: number, bytes: string) => execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])

test('a call that cannot be recorded is not made, says why, and works again when there is room', async () => {
  const { client, someone, put, ready, stderr } = await openDesk()
  await put({ token: 'the value' })
  const bridge = await client('cursor', { reads: 'always' })
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('the value')

  limitFiles(ready.pid, '1')
  const refused = /^Error: This call cannot be recorded, so it was not made: [a-z].+$/
  for (const [tool, args] of [
    ['get_secret', { name: 'token' }],
    ['list_secrets', {}],
    ['test_policy', { scope: 'default', secret_name: 'token' }],
    ['store_secret', { name: 'new', value: 'x' }],
    ['remove_secret', { name: 'token' }],
    ['get_secret', { name: 'nowhere' }],
    ['unheard_of', {}],
  ] as const) {
    const result = await bridge.request('tools/call', { name: tool, arguments: args })
    expect(result.result).toMatchObject({ isError: true, content: [{ type: 'text', text: expect.stringMatching(refused) }] })
  }
  // Whatever tells a name is refused like a call.
  const untold = expect.stringMatching(/^This call cannot be recorded, so it was not made: [a-z].+$/) as string
  for (const [method, params] of [
    ['resources/list', {}],
    ['resources/read', { uri: 'countersign://secrets/token' }],
  ] as const) {
    expect(await bridge.request(method, params)).toMatchObject({ error: { code: -31000, data: untold } })
  }
  const completion = { ref: { type: 'ref/resource', uri: 'countersign://secrets/{name}' }, argument: { name: 'name', value: '' } }
  expect((await bridge.request('completion/complete', completion)).result).toMatchObject({ completion: { values: [], total: 0 } })
  expect((await someone.ask('approvals.list')).open).toEqual([])
  await expect(someone.ask('secrets.store', { name: 'mine', value: 'x' })).rejects.toThrow('refused: This call cannot be recorded')

  limitFiles(ready.pid, 'unlimited')
  expect(await resultOf(bridge, 'list_secrets')).toEqual(saying('["token"]', { names: ['token'] }))
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('the value')
  const store = bridge.call('store_secret', { name: 'new', value: 'x' })
  await someone.answerNext('allow')
  expect(await store).toBe("Stored secret 'new'")
  expect(await someone.ask('audit.verify')).toMatchObject({ state: 'ok', breaks: [] })
  expect(stderr()).toBe('')
})
