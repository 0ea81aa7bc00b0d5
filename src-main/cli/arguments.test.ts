import { describe, expect, test } from 'vitest'
import { parseCommand } from './arguments.ts'
import { EXIT, Stop } from './exit.ts'

const NOW = 1_000_000_000_000
const parse = (line: string) => parseCommand(line.split(' ').filter(Boolean), NOW)

function stop(line: string): Stop {
  try {
    parse(line)
  } catch (error) {
    if (error instanceof Stop) return error
    throw error
  }
  throw new Error(`'${line}' was accepted`)
}

describe('what is understood', () => {
  test.each([
    ['', { is: 'start' }],
    ['--json', { is: 'start' }],
    ['status', { is: 'status' }],
    ['doctor', { is: 'doctor', full: false }],
    ['doctor --full --json', { is: 'doctor', full: true }],
    ['help', { is: 'help' }],
    ['list --help', { is: 'help' }],
    ['--version', { is: 'version' }],
    ['--json --version', { is: 'version' }],
    ['list', { is: 'list', scope: null }],
    ['list --scope dev --json', { is: 'list', scope: 'dev' }],
    ['--json list --scope=dev', { is: 'list', scope: 'dev' }],
    ['get a/b', { is: 'get', name: 'a/b' }],
    ['get get', { is: 'get', name: 'get' }],
    ['store a', { is: 'store', name: 'a', force: false }],
    ['store --force a', { is: 'store', name: 'a', force: true }],
    ['remove a', { is: 'remove', name: 'a' }],
    ['policy test dev a/b', { is: 'policy test', scope: 'dev', name: 'a/b' }],
    ['audit show', { is: 'audit show', filter: {}, limit: 50 }],
    [
      'audit show --client cursor --client cli --outcome denied --last 24h --limit 7 --text x',
      { is: 'audit show', filter: { client: ['cursor', 'cli'], outcome: ['denied'], from: NOW - 86_400_000, text: 'x' }, limit: 7 },
    ],
    ['audit export log.csv', { is: 'audit export', filter: {}, file: 'log.csv', format: 'csv' }],
    ['audit export log', { is: 'audit export', filter: {}, file: 'log', format: 'jsonl' }],
    [
      'audit export log.csv --format jsonl --tool get_secret',
      { is: 'audit export', filter: { tool: ['get_secret'] }, file: 'log.csv', format: 'jsonl' },
    ],
    ['audit verify', { is: 'audit verify' }],
    ['backup export b', { is: 'backup export', file: 'b' }],
    ['backup import b', { is: 'backup import', file: 'b', withKeys: false }],
    ['backup import b --with-keys', { is: 'backup import', file: 'b', withKeys: true }],
    ['clients remove cursor', { is: 'clients remove', client: 'cursor', dryRun: false }],
    ['clients remove --all --dry-run', { is: 'clients remove all', dryRun: true }],
    ['clients token list', { is: 'clients token list' }],
    ['clients token add ci', { is: 'clients token add', client: 'ci', title: null, policy: 'default', days: null }],
    ['clients token add ci --days 30', { is: 'clients token add', client: 'ci', title: null, policy: 'default', days: 30 }],
    ['clients token rotate ci --days none', { is: 'clients token rotate', client: 'ci', days: null }],
    ['clients token rotate ci --days 7', { is: 'clients token rotate', client: 'ci', days: 7 }],
    [
      'clients token add --policy dev ci --name Runner --json',
      { is: 'clients token add', client: 'ci', title: 'Runner', policy: 'dev', days: null },
    ],
    ['clients token rotate ci', { is: 'clients token rotate', client: 'ci', days: undefined }],
    ['clients token revoke token', { is: 'clients token revoke', client: 'token' }],
  ])('countersign %s', (line, command) => {
    expect(parse(line)).toEqual(command)
  })
})

describe('what is wrong usage', () => {
  test.each([
    'lst',
    'policy',
    'policy tset dev a',
    'clients remove',
    'clients remove cursor --all',
    'clients token',
    'clients token add',
    'clients token add a b',
    'clients token show ci',
    'clients token add ci --days 0',
    'clients token add ci --days soon',
    'clients token add ci --days 3651',
    'clients token revoke ci --days 3',
    'audit',
    'backup',
    'get',
    'get a b',
    'list extra',
    'list --scoop dev',
    'store',
    '--frobnicate',
    'policy test dev',
    'audit show --outcome good',
    'audit show --last yesterday',
    'audit show --last 24',
    'audit show --limit 0',
    'audit show --limit many',
    'audit export',
    'audit export f --format xml',
    'audit verify now',
    'status --limit 3',
    'approve A7KQ2',
  ])('countersign %s', (line) => {
    expect(stop(line).exit).toBe(EXIT.usage)
  })

  test.each([
    'store name hunter2',
    'store name --value hunter2',
    'store name --value=hunter2',
    'store name -vhunter2',
    'store --force=hunter2 name',
  ])('a value as an argument is refused and not repeated: %s', (line) => {
    const { exit, message } = stop(line)
    expect(exit).toBe(EXIT.usage)
    expect(message).not.toContain('hunter2')
  })

  test('the refusal says where a value belongs', () => {
    expect(stop('store name value').message).toMatch(/A value is never an argument.*Pipe it in/)
  })
})
