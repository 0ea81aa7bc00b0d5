// Names and values, stored and read by an AI client, byte for byte; also after the host has been started anew.

import { expect, test } from 'vitest'
import { startBridge } from './support/bridge.ts'
import { openDesk } from './support/desk.ts'
import { startHost } from './support/host.ts'

const KIB64 = 64 * 1024

const values: Record<string, string> = {
  'one-byte': 'x',
  'a/b.c_d@e-f/0': 'a name of every kind of letter',
  ['n'.repeat(128)]: 'a name as long as names may be',
  spaces: '  leading, trailing and a tab\t ',
  newlines: '\nfirst\r\nsecond\rthird\n\n',
  quotes: `"double" 'single' \`back\` \\backslash\\ \\n \\u0041 $(echo) %s`,
  json: '{"a":[1,2,{"b":null}],"c":"\\u00e9"}',
  emoji: '🔑👩‍👩‍👧‍👦🏳️‍🌈 done',
  scripts: 'ñ ñ Å Å 鍵 مفتاح क',
  odd: '\uFEFFBOM \u2028\u2029 \u0001\u001b[31m\u007f\u0085 \u200b\u202e\ufffd\uffff',
  pem: `-----BEGIN PRIVATE KEY-----\n${'QUJD'.repeat(400)}\n-----END PRIVATE KEY-----\n`,
  // What one keychain item holds, and one byte more.
  'item-full': 'i'.repeat(2048),
  'item-over': 'i'.repeat(2049),
  'item-edge': `${'i'.repeat(2047)}é`,
  largest: `${'0123456789abcdef\n'.repeat(KIB64 / 17)}${'z'.repeat(KIB64 % 17)}`,
  'largest-wide': '🔑'.repeat(KIB64 / 4),
}

test('every value comes back exactly, from whichever client, and after a restart', async () => {
  const { client, someone, home, stop } = await openDesk()
  const names = Object.keys(values)
  // A client may put five questions a minute to a person.
  for (let first = 0; first < names.length; first += 5) {
    const bridge = await client(`client-${first}`, { name: 'all', reads: 'always' })
    for (const name of names.slice(first, first + 5)) {
      const stored = bridge.call('store_secret', { name, value: values[name] })
      const approval = await someone.answerNext('allow')
      expect(approval).toMatchObject({ secret: name })
      expect(await stored).toBe(`Stored secret '${name}'`)
    }
  }
  const reader = await client('reader', { name: 'all', reads: 'always' })
  for (const [name, value] of Object.entries(values)) {
    expect((await reader.request('tools/call', { name: 'get_secret', arguments: { name } })).result).toEqual({
      content: [{ type: 'text', text: value }],
    })
  }
  expect(await reader.call('list_secrets')).toBe(JSON.stringify(names.toSorted()))

  await stop()
  await startHost({ home })
  const later = startBridge({ home, client: 'reader' })
  await later.initialize()
  for (const [name, value] of Object.entries(values)) expect(await later.call('get_secret', { name })).toBe(value)
})

test('a value shown to the person before they answer is the one that is stored, whatever is asked meanwhile', async () => {
  const { client, someone } = await openDesk()
  const bridge = await client('cursor', { reads: 'always' })
  const first = bridge.call('store_secret', { name: 'token', value: 'first' })
  const [asked] = await someone.waiting(1)
  const second = bridge.call('store_secret', { name: 'token', value: 'second' })
  await someone.waiting(2)
  expect(await someone.ask('approvals.reveal', { id: asked?.id ?? '' })).toEqual({ value: 'first' })
  if (asked) await someone.answer(asked, 'allow')
  expect(await first).toBe("Stored secret 'token'")
  expect(await second).toBe('Error: Secret already exists: token (pass force=true to overwrite)')
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('first')
})
