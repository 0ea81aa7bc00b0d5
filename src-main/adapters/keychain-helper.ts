// The one file that names keytar, in a process of its own: a keychain that hangs or crashes takes only this process with it.
// Our parent asks over IPC, one request at a time; values travel nowhere else.

// oxlint-disable-next-line import/no-unassigned-import -- It has to run before anything else, and that is all it does.
import './no-inspector.ts'
import path from 'node:path'
import { leaveNoMemoryBehind } from './core-dumps.ts'

export type HelperRequest =
  | { id: number; op: 'get' | 'delete'; service: string; account: string }
  | { id: number; op: 'set'; service: string; account: string; value: string }

export type HelperReply =
  | { id: number; op: 'get'; value: string | null }
  | { id: number; op: 'set' }
  | { id: number; op: 'delete'; deleted: boolean }
  | { id: number; op: 'fault'; reason: string }

interface Keytar {
  getPassword: (service: string, account: string) => Promise<string | null>
  setPassword: (service: string, account: string, value: string) => Promise<void>
  deletePassword: (service: string, account: string) => Promise<boolean>
}

/** keytar may be missing where it could not be compiled; its twin brings its binary along and reads the same items. */
async function loadKeytar(): Promise<Keytar> {
  if (process.platform === 'linux') nameTheBus()
  const failures: unknown[] = []
  for (const load of [() => import('keytar'), () => import('@github/keytar')]) {
    try {
      return (await load()).default
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.some((error) => /libsecret/.test(messageOf(error)))) throw new Error('libsecret is not installed')
  throw new Error('keytar is not installed')
}

/** Without an address libsecret would start a bus of its own, which nobody shares and which outlives us. */
function nameTheBus(): void {
  if (process.env['DBUS_SESSION_BUS_ADDRESS']) return
  const runtime = process.env['XDG_RUNTIME_DIR']
  if (!runtime) throw new Error('there is no D-Bus session bus')
  process.env['DBUS_SESSION_BUS_ADDRESS'] = `unix:path=${path.join(runtime, 'bus')}`
}

async function answer(keytar: Keytar, request: HelperRequest): Promise<HelperReply> {
  const { id, op, service, account } = request
  switch (op) {
    case 'get':
      return { id, op, value: await keytar.getPassword(service, account) }
    case 'set':
      await keytar.setPassword(service, account, request.value)
      return { id, op }
    case 'delete':
      return { id, op, deleted: await keytar.deletePassword(service, account) }
  }
}

async function serve(request: HelperRequest): Promise<void> {
  const reply = await loading
    .then((keytar) => answer(keytar, request))
    .catch((error: unknown): HelperReply => ({ id: request.id, op: 'fault', reason: messageOf(error) }))
  process.send?.(reply)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

leaveNoMemoryBehind()
// Ctrl-C reaches every process of a terminal; our parent decides when we leave.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
// Not exit(): that would wait for a call that hangs.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
const loading = loadKeytar()
// Told with the first answer.
loading.catch(() => {})
// Our parent is the only one on the channel, and speaks this type alone.
process.on('message', (request) => void serve(request as HelperRequest))
