import { expect, test } from 'vitest'
import { readArguments } from './arguments.ts'

const NOTHING = { json: false, port: undefined, recover: null, http: undefined }

test('HTTP is off unless it is asked for, with a port or with the one that is set', () => {
  expect(readArguments([])).toEqual(NOTHING)
  expect(readArguments(['--http'])).toEqual({ ...NOTHING, http: { port: null } })
  expect(readArguments(['--http', '9000', '--json'])).toEqual({ ...NOTHING, json: true, http: { port: 9000 } })
  expect(readArguments(['--http', '--port', '0'])).toEqual({ ...NOTHING, port: 0, http: { port: null } })
  expect(readArguments(['--accept-vault'])).toEqual({ ...NOTHING, recover: 'as it is' })
  expect(readArguments(['--restore-daily-copy', '--http=0'])).toEqual({ ...NOTHING, recover: 'daily copy', http: { port: 0 } })
})

test.each([['--http', 'all'], ['--http=65536'], ['--port', '-1'], ['--port', '1e3'], ['--http='], ['--htpp']])(
  'a port that is none, or an option that is none, starts nothing: %s %s',
  (...words) => {
    expect(() => readArguments(words.filter((word) => word !== undefined))).toThrow()
  },
)
