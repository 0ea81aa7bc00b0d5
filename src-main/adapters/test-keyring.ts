// A keyring of a test's own, to be locked, stopped and killed without disturbing anybody: scripts/with-keyring around a command
// that waits for its stdin to end. That happens when the test ends, however it ends, and takes bus and daemon with it.

import { execFile, spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'

const WITH_KEYRING = path.resolve(import.meta.dirname, '../../scripts/with-keyring')
const DAEMON = 'gnome-keyring-daemon'
const SECRETS = 'org.freedesktop.secrets'
const COLLECTION = '/org/freedesktop/secrets/collection/login'
/** Fixed by scripts/with-keyring. */
const PASSWORD = 'test'

export interface TestKeyring {
  /** For programs that shall use this keyring; HOME is a throw-away folder. */
  env: NodeJS.ProcessEnv
  /** The daemon, to be signalled. */
  pid: () => number
  lock: () => Promise<void>
  unlock: () => Promise<void>
  /** The daemon dies; the bus lives on. Resolves when the bus knows. */
  kill: () => Promise<void>
  /** After `kill`: a new, unlocked daemon with the same items. */
  restart: () => Promise<void>
  stop: () => Promise<void>
}

export async function startKeyring(): Promise<TestKeyring> {
  const script = spawn(WITH_KEYRING, ['sh', '-c', 'env -0 && printf "\\0" && exec cat >/dev/null'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, KEYRING_ON_DISK: '1' },
  })
  const env = await readEnvironment(script)
  let pid = Number(env['KEYRING_PID'])
  let restarted: ChildProcess | null = null

  const bus = async (destination: string, object: string, method: string, ...args: string[]) => {
    const call = ['call', '--session', '--timeout', '5', '--dest', destination, '--object-path', object, '--method', method, ...args]
    return (await promisify(execFile)('gdbus', call, { env })).stdout
  }
  const owned = async () => (await bus('org.freedesktop.DBus', '/', 'org.freedesktop.DBus.NameHasOwner', SECRETS)).includes('true')
  const locked = async () =>
    (await bus(SECRETS, COLLECTION, 'org.freedesktop.DBus.Properties.Get', 'org.freedesktop.Secret.Collection', 'Locked')).includes('true')

  return {
    env,
    pid: () => pid,
    lock: async () => {
      await bus(SECRETS, '/org/freedesktop/secrets', 'org.freedesktop.Secret.Service.Lock', `['${COLLECTION}']`)
    },
    unlock: async () => {
      await unlockOverControlSocket(path.join(String(env['XDG_RUNTIME_DIR']), 'keyring', 'control'))
      if (await locked()) throw new Error('The test keyring did not unlock.')
    },
    kill: async () => {
      process.kill(pid, 'SIGKILL')
      await until(async () => !(await owned()))
    },
    restart: async () => {
      const control = `--control-directory=${path.join(String(env['XDG_RUNTIME_DIR']), 'keyring')}`
      restarted = spawn(DAEMON, ['--foreground', '--unlock', '--components=secrets', control], {
        env,
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      restarted.unref()
      restarted.stdin?.end(PASSWORD)
      pid = Number(restarted.pid)
      await until(async () => (await owned()) && !(await locked().catch(() => true)))
    },
    stop: async () => {
      restarted?.kill('SIGKILL')
      if (script.exitCode !== null || script.signalCode !== null) return
      script.ref()
      script.stdin.end()
      await once(script, 'exit')
    },
  }
}

/** The command prints its environment once the keyring is ready. */
async function readEnvironment(script: ChildProcessWithoutNullStreams): Promise<NodeJS.ProcessEnv> {
  let output = ''
  let complaint = ''
  script.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  await new Promise<void>((resolve, reject) => {
    script.on('error', reject)
    script.on('exit', () => reject(new Error(`The test keyring did not start: ${complaint}`)))
    script.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.endsWith('\0\0')) resolve()
    })
  })
  // A forgotten keyring holds nobody up: it ends with us.
  script.unref()
  for (const stream of [script.stdin, script.stdout, script.stderr]) if (stream instanceof Socket) stream.unref()
  const lines = output.slice(0, -2).split('\0')
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

/** What the login screen does. The daemon's own protocol: a byte for credentials, then length, operation, arguments. */
async function unlockOverControlSocket(file: string): Promise<void> {
  const UNLOCK = 1
  const numbers = (...values: number[]) => Buffer.concat(values.map((value) => Buffer.of(value >>> 24, value >>> 16, value >>> 8, value)))
  const socket = connect(file)
  socket.end(Buffer.concat([Buffer.of(0), numbers(12 + PASSWORD.length, UNLOCK, PASSWORD.length), Buffer.from(PASSWORD)]))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  if (!answer.equals(numbers(8, 0))) throw new Error(`The test keyring refused to unlock: ${answer.toString('hex')}`)
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000
  // Each look starts a program of its own, so this loop does not spin.
  while (!(await condition())) if (performance.now() > deadline) throw new Error('The test keyring did not get there in 10 s.')
}
