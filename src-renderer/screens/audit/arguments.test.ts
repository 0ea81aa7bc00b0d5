import { expect, test } from 'vitest'
import { argumentsOf } from './arguments.ts'

const call = { event: 'call', tool: 'store_secret', secret: 'dev/token', detail: {} }

test('a call shows the name it was about, and that its value is not on record', () => {
  expect(argumentsOf(call)).toEqual([
    { name: 'name', value: 'dev/token' },
    { name: 'value', value: null },
  ])
  expect(argumentsOf({ ...call, tool: 'test_policy' })).toContainEqual({ name: 'secret_name', value: 'dev/token' })
})

test('a call that broke its schema shows the names of its fields alone', () => {
  expect(argumentsOf({ ...call, secret: null, detail: { fields: ['nam', 'value'] } })).toEqual([
    { name: 'nam', value: null },
    { name: 'value', value: null },
  ])
})

test('what is no call, or of no known tool, has no arguments', () => {
  expect(argumentsOf({ ...call, event: 'policy.saved' })).toEqual([])
  expect(argumentsOf({ ...call, tool: 'export_backup' })).toEqual([])
})
