import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AuditRow, VerifyReport } from '../../src-shared/audit.ts'
import type { RpcFault, ToolReply } from '../../src-shared/rpc.ts'
import { texts } from '../../src-shared/texts.ts'
import { openKeyFiles } from '../adapters/key-files.ts'
import { prepareFolder, socketPath } from '../adapters/paths.ts'
import { writeStartCommand } from '../adapters/start-command.ts'
import { serveSocket, type RequestContext, type SocketServer } from '../host/socket.ts'
import type { Keys } from '../link/accept.ts'
import { run } from './run.ts'

type Answer = (params: Record<string, unknown>, context: RequestContext) => unknown

const STATUS = {
  version: '0.1.0',
  state: 'open',
  store: 'sealed',
  trouble: null,
  alarms: [],
  paused: null,
  waiting: 2,
  page: 'http://127.0.0.1:8718/',
}

let folder: string
let key: Buffer
let server: SocketServer | null
/** What the host does is not this folder's business: each test says how it answers. */
let answers: Record<string, Answer>
let asked: { access: string; method: string; params: unknown }[]
let onStderr: () => void
let shut: ReturnType<Keys['state']>

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-cli-'))
  prepareFolder(folder)
  key = randomBytes(32)
  openKeyFiles(folder).write('cli', key)
  server = null
  shut = null
  onStderr = () => {}
  asked = []
  answers = { status: () => STATUS, 'host.show': () => null }
})

afterEach(async () => {
  await server?.close()
  await rm(folder, { recursive: true, force: true })
})

async function startHost(): Promise<void> {
  server = await serveSocket({
    path: socketPath(folder),
    inspect: async () => ({ steps: [], proven: false, user: 'own' }),
    registry: {
      state: () => shut,
      keysOf: (id) => (id === 'cli' ? [{ generation: 1, key }] : null),
      describe: () => ({ name: 'Command line', program: null }),
      proved: () => {},
    },
    handler: {
      request: async (connection, method, params, context) => {
        asked.push({ access: connection.access, method, params })
        const answer = answers[method]
        if (answer === undefined) throw fault('unknown method', 'There is no such method')
        return await answer(params as Record<string, unknown>, context)
      },
      opened: () => {},
      closed: () => {},
    },
  })
}

function fault(code: RpcFault['code'], message: string): Error {
  return Object.assign(new Error(message), { fault: { code, message } })
}

async function countersign(line: string, stdin: string | Buffer = '') {
  const out: Buffer[] = []
  const err: Buffer[] = []
  const sink = (chunks: Buffer[]) =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk)
        if (chunks === err) onStderr()
        done()
      },
    })
  const exit = await run(line.split(' ').filter(Boolean), {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: sink(out),
    stderr: sink(err),
    env: { COUNTERSIGN_HOME: folder, HOME: folder, PATH: process.env['PATH'] },
    cwd: folder,
    programFolder: folder,
  })
  return { exit, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }
}

const tool =
  (reply: ToolReply): Answer =>
  () =>
    reply
const done = (text: string, structured: Record<string, unknown> = {}) => tool({ kind: 'result', text, isError: false, structured })
const failed = (text: string) => tool({ kind: 'result', text, isError: true })

describe('the five tools', () => {
  test('names come one a line, or as an array', async () => {
    await startHost()
    answers['tools.call'] = done('["a","b/c"]', { names: ['a', 'b/c'] })
    expect(await countersign('list')).toEqual({ exit: 0, stdout: 'a\nb/c\n', stderr: '' })
    expect(await countersign('list --scope dev --json')).toEqual({ exit: 0, stdout: '["a","b/c"]\n', stderr: '' })
    expect(asked.map(({ params }) => params)).toMatchObject([
      { tool: 'list_secrets', arguments: {} },
      { tool: 'list_secrets', arguments: { scope: 'dev' } },
    ])
    expect(asked[0]?.access).toBe('cli')
  })

  test('a value goes out exactly, whatever is in it', async () => {
    await startHost()
    const value = ' two\nlines\x1b[31m ⚿\r\n'
    answers['tools.call'] = done(value, { name: 'a', value })
    expect(await countersign('get a')).toEqual({ exit: 0, stdout: value, stderr: '' })
    expect(JSON.parse((await countersign('get a --json')).stdout)).toEqual({ name: 'a', value })
  })

  test('a value comes in exactly, line ends included, and a line end at its end is mentioned', async () => {
    await startHost()
    answers['tools.call'] = done("Stored secret 'a'", { name: 'a', version: 1 })
    expect(await countersign('store a --force', 'x\r\ny 🔑')).toEqual({ exit: 0, stdout: "Stored secret 'a'\n", stderr: '' })
    expect(asked[0]?.params).toMatchObject({ tool: 'store_secret', arguments: { name: 'a', value: 'x\r\ny 🔑', force: true } })
    const { stderr } = await countersign('store a', '\ufeffx\n')
    expect(asked[1]?.params).toMatchObject({ arguments: { value: '\ufeffx\n', force: false } })
    expect(stderr).toMatch(/ends with a line end/)
  })

  test('bytes that are no text never leave this process', async () => {
    await startHost()
    expect(await countersign('store a', Buffer.from([0x68, 0xff]))).toMatchObject({
      exit: 2,
      stderr: 'Error: What was piped in is not UTF-8 text.\n',
    })
    expect(await countersign('store a', 'x'.repeat(1024 * 1024 + 1))).toMatchObject({ exit: 2 })
    expect(asked).toEqual([])
  })

  test('a value as an argument is refused before anything is read or sent', async () => {
    await startHost()
    const { exit, stdout, stderr } = await countersign('store a hunter2', 'piped')
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    expect(stderr).not.toContain('hunter2')
    expect(asked).toEqual([])
  })

  test('removing what is not there ends with "not found", removing what was with 0', async () => {
    await startHost()
    answers['tools.call'] = done('Not found: a', { name: 'a', removed: false })
    expect(await countersign('remove a')).toEqual({ exit: 3, stdout: 'Not found: a\n', stderr: '' })
    answers['tools.call'] = done('Removed: a', { name: 'a', removed: true })
    expect(await countersign('remove a')).toEqual({ exit: 0, stdout: 'Removed: a\n', stderr: '' })
  })

  test('a policy test prints its one word and ends accordingly', async () => {
    await startHost()
    answers['tools.call'] = done('allowed', { allowed: true, rule: 'r' })
    expect(await countersign('policy test dev a')).toEqual({ exit: 0, stdout: 'allowed\n', stderr: '' })
    answers['tools.call'] = done('denied', { allowed: false, rule: 'r' })
    expect(await countersign('policy test dev a')).toEqual({ exit: 4, stdout: 'denied\n', stderr: '' })
    expect(asked[0]?.params).toMatchObject({ tool: 'test_policy', arguments: { scope: 'dev', secret_name: 'a' } })
  })

  test.each([
    [texts.secretNotFound('a'), 3],
    [texts.policyNotFound('p'), 3],
    [texts.outsidePolicy('a', 'p'), 4],
    [texts.neverShown('a'), 4],
    [texts.denied, 4],
    [texts.expired, 4],
    [texts.alreadyExists('a'), 5],
    [texts.waiting('A7KQ2'), 1],
    [texts.keychainLocked, 1],
    [texts.tooManyPrompts, 1],
  ])('"%s" ends with %i', async (text, exit) => {
    await startHost()
    answers['tools.call'] = failed(text)
    expect(await countersign('get a')).toEqual({ exit, stdout: '', stderr: `Error: ${text}\n` })
    expect(await countersign('get a --json')).toEqual({ exit, stdout: `${JSON.stringify({ error: text, exit })}\n`, stderr: '' })
  })

  test('arguments the host refuses are wrong usage', async () => {
    await startHost()
    answers['tools.call'] = tool({ kind: 'invalid', field: 'name', fault: 'must not contain //' })
    expect(await countersign('get a//b')).toMatchObject({ exit: 2, stderr: "Error: Invalid argument 'name': must not contain //\n" })
  })

  test('while a call waits, stderr says once where to answer', async () => {
    await startHost()
    answers['tools.call'] = async (_params, { waiting }) => {
      const told = new Promise<void>((resolve) => (onStderr = resolve))
      waiting('Waiting for a person to answer request A7KQ2')
      waiting('Waiting for a person to answer request A7KQ2')
      await told
      return { kind: 'result', text: texts.waiting('A7KQ2'), isError: true }
    }
    const { exit, stdout, stderr } = await countersign('store a', 'x')
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' })
    expect(stderr.split('\n')).toEqual([
      'Waiting for a person to answer request A7KQ2. Answer it at http://127.0.0.1:8718/.',
      `Error: ${texts.waiting('A7KQ2')}`,
      '',
    ])
  })

  test('an error that would colour the terminal is shown, not obeyed', async () => {
    await startHost()
    answers['tools.call'] = failed('bad \x1b[31mthing')
    expect((await countersign('get a')).stderr).toBe('Error: bad ⟨U+001B⟩[31mthing\n')
  })
})

describe('the log', () => {
  const row = (seq: number, more: Partial<AuditRow> = {}): AuditRow => ({
    seq,
    lastSeq: seq,
    wall: 0,
    event: 'call',
    call: 'c',
    client: 'cursor',
    tool: 'get_secret',
    secret: 'a',
    outcome: 'allowed',
    rule: 'policy default: reads always',
    approver: null,
    ...more,
  })

  test('rows are a table, hostile names in it are harmless', async () => {
    await startHost()
    answers['audit.query'] = () => ({
      rows: [row(2, { tool: 'x\x1b[2J\u202e' }), row(1, { event: 'host.started', tool: null, secret: null, outcome: null })],
      before: null,
    })
    const { stdout, exit } = await countersign('audit show')
    expect(exit).toBe(0)
    expect(stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'seq | time | client | what | secret | outcome | decided by',
      '2 | 1970-01-01T00:00:00.000Z | cursor | x⟨U+001B⟩[2J⟨U+202E⟩ | a | allowed | policy default: reads always',
      '1 | 1970-01-01T00:00:00.000Z | cursor | host.started | policy default: reads always',
      '',
    ])
    const columns = stdout.split('\n').map((line) => line.indexOf('policy default'))
    expect(columns[1]).toBe(columns[2])
    const shown: unknown = JSON.parse((await countersign('audit show --json')).stdout)
    expect(shown).toMatchObject({ rows: [{ seq: 2 }, { seq: 1 }], others: 0 })
  })

  test.each([
    [1, 'and 1 other outside the policy of the command line'],
    [214, 'and 214 others outside the policy of the command line'],
  ])('entries that the policy keeps out of sight are counted, be they %i', async (others, line) => {
    await startHost()
    answers['audit.query'] = ({ before }) =>
      before === null ? { rows: [row(2000), row(1999)], before: 1999, others } : { rows: [row(7)], before: null }
    const shown = await countersign('audit show')
    expect(shown.exit).toBe(0)
    expect(shown.stdout.split('\n').slice(-3)).toEqual([expect.stringMatching(/^7 /), line, ''])
    expect(JSON.parse((await countersign('audit show --json')).stdout)).toMatchObject({ rows: { length: 3 }, others })
    answers['audit.query'] = () => ({ rows: [], before: null, others })
    expect((await countersign('audit show')).stdout).toBe(`${line}\n`)
  })

  test('more rows than fit a page are fetched page by page, up to the limit', async () => {
    await startHost()
    answers['audit.query'] = ({ before, limit }) => {
      const from = typeof before === 'number' ? before : 5000
      return { rows: Array.from({ length: Number(limit) }, (_, i) => row(from - i)), before: from - Number(limit) }
    }
    expect(JSON.parse((await countersign('audit show --limit 1200 --json')).stdout)).toMatchObject({ rows: { length: 1200 } })
    expect(asked.map(({ params }) => (params as { limit: number }).limit)).toEqual([1000, 200])
  })

  test('an export names its file by its full path', async () => {
    await startHost()
    answers['audit.export'] = () => ({ rows: 3, others: 0 })
    expect(await countersign('audit export log.csv')).toMatchObject({
      exit: 0,
      stdout: `Exported 3 entries to ${path.join(folder, 'log.csv')}\n`,
    })
    expect(asked[0]?.params).toEqual({ filter: {}, format: 'csv', path: path.join(folder, 'log.csv') })
  })

  test('an export says how many entries the policy kept out of it, beside what it says of the file', async () => {
    await startHost()
    answers['audit.export'] = () => ({ rows: 3, others: 214 })
    const file = path.join(folder, 'log.csv')
    expect(await countersign('audit export log.csv')).toEqual({
      exit: 0,
      stdout: `Exported 3 entries to ${file}\n`,
      stderr: 'and 214 others outside the policy of the command line, which were left out\n',
    })
    const { stdout } = await countersign('audit export log.csv --json')
    expect(JSON.parse(stdout)).toEqual({ file, format: 'csv', rows: 3, others: 214 })
  })

  test.each<[VerifyReport, number]>([
    [{ state: 'ok', entries: 3, head: 3, breaks: [] }, 0],
    [{ state: 'tampered', badSeq: 2, reason: 'Its MAC does not match.', breaks: [] }, 1],
    [{ state: 'no key', reason: 'The keychain has none.', breaks: [] }, 7],
    [{ state: 'behind', head: 2, anchor: 9, reason: 'Entries are missing.', breaks: [] }, 8],
  ])('verify: $state', async (report, exit) => {
    await startHost()
    answers['audit.verify'] = () => report
    expect((await countersign('audit verify')).exit).toBe(exit)
    const { exit: same, stdout } = await countersign('audit verify --json')
    expect({ same, report: JSON.parse(stdout) as unknown }).toEqual({ same: exit, report })
  })
})

test.each([
  [40, 'The log was expected to reach entry 50, and ended at entry 40. That was found when it was opened.'],
  [null, 'The log was expected to reach entry 50, and did not. That was found when it was opened.'],
])('of a log that ends too early, verify names the entry that was expected and the one that was found: %s', async (head, line) => {
  await startHost()
  const last = { seq: 51, wall: 0, found: 'behind', aside: null, last: head, acknowledged: false }
  answers['audit.verify'] = () => ({ state: 'behind', head, anchor: 50, reason: 'That was found when it was opened.', breaks: [last] })
  const { stdout } = await countersign('audit verify')
  expect(stdout.split('\n')).toEqual([
    line,
    'A segment begins at entry 51 (1970-01-01T00:00:00.000Z), because the log before it was found cut off; not acknowledged yet.',
    '',
  ])
})

describe('backup', () => {
  test('the passphrase is the first line of what is piped in, and the path is absolute', async () => {
    await startHost()
    answers['tools.call'] = done('Backed up 2 secrets', { secrets: 2 })
    expect(await countersign('backup export b.sealed', 'correct horse\nbattery')).toMatchObject({
      exit: 0,
      stdout: 'Backed up 2 secrets\n',
    })
    answers['tools.call'] = done('Restored 2 secrets and 1 policies', { secrets: 2, policies: 1 })
    expect(await countersign('backup import b.sealed', 'correct horse\r\n')).toMatchObject({ exit: 0 })
    const args = { path: path.join(folder, 'b.sealed'), passphrase: 'correct horse' }
    expect(asked.map(({ params }) => params)).toMatchObject([
      { tool: 'export_backup', arguments: args },
      { tool: 'import_backup', arguments: { ...args, with_keys: false } },
    ])
  })
})

describe('the host', () => {
  test('every command that needs it says when it is not running', async () => {
    for (const line of [
      'list',
      'get a',
      'store a',
      'remove a',
      'policy test p a',
      'audit show',
      'audit export f',
      'audit verify',
      'backup export f',
      'status',
    ]) {
      expect(await countersign(line, 'long enough')).toEqual({
        exit: 6,
        stdout: '',
        stderr: 'Error: Countersign is not running. Start it, then repeat the call.\n',
      })
    }
    expect(JSON.parse((await countersign('status --json')).stdout)).toMatchObject({ exit: 6 })
  })

  test('its status says where its page is and who waits', async () => {
    await startHost()
    const { exit, stdout } = await countersign('status')
    expect(exit).toBe(0)
    expect(stdout).toBe(
      'Countersign 0.1.0 is running; secrets are in a sealed vault.\nPage: http://127.0.0.1:8718/\nWaiting for an answer: 2\n',
    )
    expect(JSON.parse((await countersign('status --json')).stdout)).toEqual({ running: true, ...STATUS })
  })

  test('no word at all brings the one that runs to the front', async () => {
    await startHost()
    expect(await countersign('')).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^Countersign is running already\.\nPage: /) as string,
    })
    expect(asked.map(({ method }) => method)).toEqual(['host.show', 'status'])
  })

  test('one that lets nobody in yet says what it waits for', async () => {
    await startHost()
    shut = { code: 'new', message: 'ignored' }
    expect(await countersign('')).toMatchObject({ exit: 0, stdout: expect.stringContaining('It has no vault yet.') as string })
    shut = { code: 'locked', message: 'ignored' }
    expect(await countersign('list')).toMatchObject({ exit: 1, stderr: expect.stringContaining('locked') as string })
  })

  test('a key the host does not know is told apart from no host', async () => {
    await startHost()
    openKeyFiles(folder).write('cli', randomBytes(32))
    expect(await countersign('list')).toMatchObject({ exit: 1, stderr: expect.stringContaining('does not accept the key') as string })
    openKeyFiles(folder).remove('cli')
    expect(await countersign('list')).toMatchObject({ exit: 1, stderr: expect.stringContaining('does not accept the key') as string })
  })

  /** As the desktop app of this installation does, which is never started here. */
  function leaveDesktop(): void {
    const [electron, script] = ['electron', 'desktop.js'].map((name) => path.join(folder, name)) as [string, string]
    writeFileSync(electron, '', { mode: 0o755 })
    writeFileSync(script, '')
    writeStartCommand(folder, electron, [script, '--hidden'], {})
  }

  test('one with windows sends to them, and not to a page that it does not have', async () => {
    await startHost()
    leaveDesktop()
    shut = { code: 'new', message: 'ignored' }
    expect((await countersign('')).stdout).toBe('Countersign is running already. It has no vault yet.\nIts window says what to do.\n')
  })

  test.runIf(process.platform === 'linux')('where there is no desktop, one with windows is not started in vain', async () => {
    leaveDesktop()
    expect(await countersign('')).toMatchObject({ exit: 6, stderr: expect.stringMatching(/no desktop here.*npm start$/m) as string })
  })

  test('where there is nothing to start, it says so', async () => {
    expect(await countersign('')).toMatchObject({ exit: 1, stderr: expect.stringContaining('no host to start') as string })
  })

  test('a host that dies while it is asked leaves a clear sentence', async () => {
    await startHost()
    answers['tools.call'] = async () => {
      await server?.close()
      server = null
      return null
    }
    expect(await countersign('store a', 'x')).toMatchObject({ exit: 1, stderr: `Error: ${texts.interrupted}\n` })
  })
})

test('there is no command that could answer an approval', async () => {
  await startHost()
  for (const line of ['approve A7KQ2', 'allow A7KQ2', 'approvals answer A7KQ2', 'deny A7KQ2'])
    expect((await countersign(line)).exit).toBe(2)
  expect((await countersign('help')).stdout).not.toMatch(/countersign (approve|allow|deny|answer)/)
  expect(asked).toEqual([])
})
