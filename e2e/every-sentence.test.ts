// What AI clients read, to the letter, from the built bridge through the host to the keychain and back.

import { expect, test } from 'vitest'
import { failing, openDesk, resultOf, saying } from './support/desk.ts'

test('each tool says what it did, in the agreed words', async () => {
  const { client, someone } = await openDesk()
  const bridge = await client('cursor', { name: 'work', reads: 'always', deny: ['prod/*'] })

  const stored = resultOf(bridge, 'store_secret', { name: 'token', value: 'first' })
  expect(await someone.answerNext('allow')).toMatchObject({ tool: 'store_secret', secret: 'token', replaces: null, hasValue: true })
  expect(await stored).toEqual(saying("Stored secret 'token'", { name: 'token', version: 1 }))
  const replaced = resultOf(bridge, 'store_secret', { name: 'token', value: 'second', force: true })
  expect(await someone.answerNext('allow')).toMatchObject({ replaces: { version: 1, storedBy: 'cursor' } })
  expect(await replaced).toEqual(saying("Stored secret 'token'", { name: 'token', version: 2 }))

  await someone.ask('secrets.store', { name: 'api/key', value: 'k' })
  await someone.ask('secrets.store', { name: 'prod/db', value: 'p' })
  expect(await resultOf(bridge, 'get_secret', { name: 'token' })).toEqual(saying('second'))
  expect(await resultOf(bridge, 'list_secrets')).toEqual(saying('["api/key","token"]', { names: ['api/key', 'token'] }))
  expect(await resultOf(bridge, 'list_secrets', { scope: 'default' })).toEqual(
    saying('["api/key","token"]', { names: ['api/key', 'token'] }),
  )
  expect(await resultOf(bridge, 'test_policy', { scope: 'work', secret_name: 'token' })).toEqual(
    saying('allowed', { allowed: true, rule: 'policy work: reads always' }),
  )
  expect(await resultOf(bridge, 'test_policy', { scope: 'default', secret_name: 'token' })).toEqual(saying('allowed', { allowed: true }))
  expect(await resultOf(bridge, 'test_policy', { scope: 'work', secret_name: 'prod/db' })).toEqual(
    saying('denied', { allowed: false, rule: 'policy work: deny prod/*' }),
  )

  const removed = resultOf(bridge, 'remove_secret', { name: 'token' })
  await someone.answerNext('allow')
  expect(await removed).toEqual(saying('Removed: token', { name: 'token', removed: true }))
  expect(await resultOf(bridge, 'remove_secret', { name: 'token' })).toEqual(saying('Not found: token', { name: 'token', removed: false }))
  expect(await resultOf(bridge, 'list_secrets', {})).toEqual(saying('["api/key"]', { names: ['api/key'] }))
})

test('what cannot be done is told in the agreed words, and without asking anybody', async () => {
  const { client, someone, put } = await openDesk()
  await put({ token: 'v', 'prod/db': 'p' })
  const open = await client('open', { reads: 'always' })
  const shy = await client('shy', { reads: 'never' })
  const narrow = await client('narrow', { name: 'dev-only', allow: ['dev/*'] })

  expect(await resultOf(open, 'get_secret', { name: 'nowhere' })).toEqual(failing('Secret not found: nowhere'))
  expect(await resultOf(shy, 'get_secret', { name: 'token' })).toEqual(failing("'token' is never shown to AI clients"))
  expect(await resultOf(shy, 'get_secret', { name: 'nowhere' })).toEqual(failing("'nowhere' is never shown to AI clients"))
  expect(await resultOf(shy, 'test_policy', { scope: 'shy', secret_name: 'token' })).toEqual(
    saying('denied', { allowed: false, rule: 'policy shy: reads never' }),
  )
  expect(await resultOf(open, 'list_secrets', { scope: 'admin' })).toEqual(failing('Policy not found: admin'))
  expect(await resultOf(open, 'test_policy', { scope: 'admin', secret_name: 'token' })).toEqual(failing('Policy not found: admin'))
  expect(await resultOf(open, 'store_secret', { name: 'token', value: 'other' })).toEqual(
    failing('Secret already exists: token (pass force=true to overwrite)'),
  )
  expect(await resultOf(open, 'unheard_of', { name: 'token' })).toEqual(failing('Unknown tool: unheard_of'))
  expect(await resultOf(open, 'constructor')).toEqual(failing('Unknown tool: constructor'))
  for (const [tool, more] of Object.entries({ get_secret: {}, store_secret: { value: 'x', force: true }, remove_secret: {} })) {
    for (const name of ['prod/db', 'prod/never-was']) {
      expect(await resultOf(narrow, tool, { name, ...more })).toEqual(
        failing(`Access denied: '${name}' is outside this client's policy 'dev-only'`),
      )
    }
  }
  const rows = await someone.rows()
  expect(rows.filter(({ event }) => event.startsWith('approval.'))).toEqual([])
  expect(rows.filter(({ tool, outcome }) => tool === 'unheard_of' && outcome === 'rejected')).toHaveLength(1)
  expect(rows.filter(({ client: by, outcome }) => by === 'narrow' && outcome === 'denied')).toHaveLength(6)
})

test("a person's no, and a question that is still open, are told as such", async () => {
  const { client, someone, put } = await openDesk()
  await put({ token: 'v' })
  await someone.ask('settings.set', { waitSeconds: 5 })
  const bridge = await client('cursor')

  const store = resultOf(bridge, 'store_secret', { name: 'a', value: 'x' })
  await someone.answerNext('deny')
  expect(await store).toEqual(failing('Denied by the person'))
  const read = resultOf(bridge, 'get_secret', { name: 'token' })
  expect(await someone.answerNext('deny')).toMatchObject({ tool: 'get_secret', replaces: null, hasValue: false })
  expect(await read).toEqual(failing('Denied by the person'))

  const waiting = resultOf(bridge, 'remove_secret', { name: 'token' })
  const [approval] = await someone.waiting(1)
  const sentence = `Waiting for approval (request ${approval?.id}). Ask the person to answer it in Countersign, then repeat the same call.`
  expect(await waiting).toEqual(failing(sentence))
  expect(await someone.ask('secrets.list')).toMatchObject([{ name: 'token' }])
})

test('a client that asks too much, or calls too much, is told at once what the limit is', async () => {
  const { client, someone } = await openDesk()
  const asking = await client('asking')
  const stores = ['a', 'b', 'c'].map((name) => resultOf(asking, 'store_secret', { name, value: 'x' }))
  const open = await someone.waiting(3)
  const tooMany = failing('Too many open approval requests; wait for an answer')
  expect(await resultOf(asking, 'store_secret', { name: 'd', value: 'x' })).toEqual(tooMany)
  for (const approval of open) await someone.answer(approval, 'deny')
  expect(await Promise.all(stores)).toEqual(Array.from({ length: 3 }, () => failing('Denied by the person')))

  await someone.ask('settings.set', { callsInFlight: 1 })
  const busy = await client('busy')
  const waiting = resultOf(busy, 'store_secret', { name: 'a', value: 'x' })
  await someone.waiting(1)
  expect(await resultOf(busy, 'list_secrets')).toEqual(failing('Too many calls at once; at most 1 in flight'))
  await someone.answerNext('deny')
  await waiting

  await someone.ask('settings.set', { callsPerSecond: 1, callBurst: 2, callsInFlight: 256 })
  const hasty = await client('hasty', { reads: 'always' })
  const answers = await Promise.all(Array.from({ length: 40 }, () => resultOf(hasty, 'list_secrets')))
  const refused = answers.filter((answer) => JSON.stringify(answer) === JSON.stringify(failing('Too many calls; at most 1 a second')))
  const served = answers.filter((answer) => JSON.stringify(answer) === JSON.stringify(saying('[]', { names: [] })))
  expect(served.length).toBeGreaterThanOrEqual(2)
  expect(refused.length + served.length).toBe(40)
  // One counted entry a second, so that nobody floods the log.
  await expect
    .poll(async () => (await someone.rows()).filter(({ client: by, outcome }) => by === 'hasty' && outcome === 'limited').length, {
      timeout: 10_000,
    })
    .toBeGreaterThanOrEqual(1)
  expect((await someone.rows()).filter(({ client: by, outcome }) => by === 'hasty' && outcome === 'limited').length).toBeLessThan(5)
})
