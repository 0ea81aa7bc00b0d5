// A whole host in this process, in a folder of its own, over the real OS keychain of the test run; only the clock is ours.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { ApprovalView } from '../../../src-shared/approval.ts'
import type { AuditRow } from '../../../src-shared/audit.ts'
import { UNREGISTERED, type Caller } from '../../../src-shared/client.ts'
import type { MethodName, ParamsIn, Result, ToolReply } from '../../../src-shared/rpc.ts'
import { openKeyFiles } from '../../adapters/key-files.ts'
import { openKeytarKeychain } from '../../adapters/keytar-keychain.ts'
import { acquireLock } from '../../adapters/lock.ts'
import type { AnswerGuard } from '../answer-guard.ts'
import { createHost, type Host } from '../host.ts'
import { newKdfParams } from '../sealing.ts'
import { fakeClock, type FakeClock } from './fake-clock.ts'

const source = (file: string) => path.join(import.meta.dirname, '..', '..', file)

export interface TestHost {
  host: Host
  clock: FakeClock
  folder: string
  /** Through the window's door. */
  window: <M extends MethodName>(method: M, params?: ParamsIn<M>) => Promise<Result<M>>
  /** A tool call of a client; `waiting` collects what it is told meanwhile. */
  call: (caller: Caller, tool: string, args?: unknown, signal?: AbortSignal) => Promise<string>
  reply: (caller: Caller, tool: string, args?: unknown, signal?: AbortSignal) => Promise<ToolReply>
  /** The open approvals, once there are `count` of them. */
  open: (count: number) => Promise<ApprovalView[]>
  answer: (approval: ApprovalView, answer: 'allow' | 'deny', remember?: 'once' | '15m' | 'lock' | 'always') => Promise<boolean>
  rows: () => Promise<AuditRow[]>
  close: () => Promise<void>
  /** Closes this host and opens another on the same folder. `shut`: its vault need not open. `without`: keychain items that are gone. */
  restart: (how?: { shut?: boolean; without?: string[] }) => Promise<TestHost>
}

/** Closed at the end of the test, or whenever `atEnd` says, for tests that share one. */
export async function openTestHost(
  folder = mkdtempSync(path.join(tmpdir(), 'countersign-host-')),
  clock = fakeClock(),
  atEnd: (close: () => Promise<void>) => void = onTestFinished,
  faultPoint: (name: string) => void = () => {},
  { shut = false, without = [] }: { shut?: boolean; without?: string[] } = {},
): Promise<TestHost> {
  const service = `Countersign:test-${path.basename(folder)}`
  const options = { service, helperPath: source('adapters/keychain-helper.ts') }
  const items = without.length === 0 ? null : await openKeytarKeychain(options, { known: true })
  for (const account of without) await items?.delete(account)
  await items?.close()
  let closed = false
  const host = await createHost(
    {
      clock,
      openKeychain: (known) => openKeytarKeychain(options, { known }),
      sealed: { exists: () => false, create: unused, unlock: unused },
      keyFiles: openKeyFiles(folder),
      lock: () => acquireLock(folder),
      inspect: async () => ({ steps: [], proven: false, user: 'own' }),
      show: () => {},
      reportBug: (error) => {
        throw error
      },
    },
    {
      folder,
      socketPath: path.join(folder, 'run', 'host.sock'),
      version: '0.0.0',
      auditWorkerPath: source('host/audit/worker.ts'),
      faultPoint,
      // What a passphrase costs is tested where keys are made from it.
      newKdf: () => ({ ...newKdfParams(), N: 2 ** 10 }),
    },
  )
  if (host === null) throw new Error('another host has the folder')
  if (!shut && host.status().state !== 'open') throw new Error(`the host did not open: ${host.status().trouble}`)
  const close = async () => {
    if (closed) return
    closed = true
    await host.close('test')
  }
  atEnd(async () => {
    await close()
    rmSync(folder, { recursive: true, force: true })
  })

  const context = (signal = new AbortController().signal) => ({ caller: null, signal, waiting: () => {} })
  const person = () => ({ ...context(), guard: hasRead })
  const window: TestHost['window'] = async (method, params) =>
    (await host.dispatch('window', method, params ?? {}, person())) as Result<typeof method>
  const reply: TestHost['reply'] = async (caller, tool, args, signal) =>
    (await host.dispatch('client', 'tools.call', { tool, arguments: args }, { ...context(signal), caller })) as ToolReply

  return {
    host,
    clock,
    folder,
    window,
    reply,
    call: async (caller, tool, args, signal) => {
      const answer = await reply(caller, tool, args, signal)
      if (answer.kind !== 'result') return JSON.stringify(answer)
      return answer.isError ? `Error: ${answer.text}` : answer.text
    },
    open: async (count) => {
      const end = performance.now() + 20_000
      for (;;) {
        const { open } = await window('approvals.list')
        if (open.length === count) return open
        // A loop without end would keep the runner for good when a test fails.
        if (performance.now() > end) throw new Error(`waited in vain for ${count} open approvals; there are ${open.length}`)
        await new Promise(setImmediate)
      }
    },
    answer: async (approval, answer, remember = 'once') =>
      (await window('approvals.answer', { id: approval.id, revision: approval.revision, answer, remember })).done,
    rows: async () => (await window('audit.query', { limit: 1000 })).rows,
    close,
    restart: async (how) => {
      await close()
      return openTestHost(folder, clock, atEnd, faultPoint, how)
    },
  }
}

/** Of a window in which everything has been in sight for long; what a real one does is tested beside it. */
const hasRead: AnswerGuard = { told: () => {}, report: () => true, restart: () => {}, forget: () => {}, objection: () => null }

function unused(): never {
  throw new Error('this test has no sealed vault')
}

/** A registered client whose program is the one we know. */
export async function registered(host: TestHost, id: string, policy = 'default'): Promise<Caller> {
  await host.window('clients.register', { id, name: id, policy })
  const [connection, program] = [randomUUID(), `/opt/${id}`]
  return { clientId: id, clientName: id, standing: 'verified', connection, peer: [], program, process: `1 ${program}` }
}

export function stranger(): Caller {
  return { clientId: UNREGISTERED, clientName: UNREGISTERED, standing: 'unverified', connection: randomUUID(), peer: [] }
}
