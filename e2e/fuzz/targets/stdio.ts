// A real bridge before a real host: whatever comes in, only JSON comes out, only to those who asked, and the next ping is answered.

import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { dist } from '../../support/host.ts'
import { expectNoValue, expectSmall, openFuzzDesk } from '../desk.ts'
import { expectOwn, idsIn, type Answer } from '../ids.ts'
import { inTime, promise, shapeOf, type Target } from '../target.ts'
import { WORDS } from './jsonrpc.ts'

interface Bridge {
  child: ChildProcessByStdio<Writable, Readable, Readable>
  /** Ids it has been sent in its life: an answer may come after a person was asked, which takes longer than an input. */
  sent: Set<string>
  lines: string[]
  stderr: string
  changed: () => void
}

/** A new one from time to time, so that what one input left behind does not decide over all that follow. */
const LIFE = 200

export const stdio: Target = {
  name: 'stdio',
  words: WORDS,
  fewRuns: 250,
  inside: false,
  async open(atEnd) {
    const desk = await openFuzzDesk(atEnd)
    await desk.someone.ask('clients.register', { id: 'fuzz', name: 'fuzz', policy: 'dev' })
    let bridge: Bridge | null = null
    let taken = 0
    atEnd(() => void bridge?.child.kill('SIGKILL'))

    function start(): Bridge {
      const child = spawn(process.execPath, [path.join(dist, 'bridge.js'), '--client', 'fuzz'], {
        env: { ...process.env, COUNTERSIGN_HOME: desk.home, COUNTERSIGN_NO_START: '1' },
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      const started: Bridge = { child, sent: new Set(), lines: [], stderr: '', changed: () => {} }
      let rest = ''
      child.stdin.on('error', () => {}) // Its end is seen below.
      child.stderr.setEncoding('utf8').on('data', (text: string) => (started.stderr += text))
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        started.lines.push(...lines)
        started.changed()
      })
      child.on('exit', () => started.changed())
      return started
    }

    async function ping({ child, lines, sent, stderr }: Bridge, current: Bridge): Promise<void> {
      const id = `ping-${taken}-f3a9`
      sent.add(JSON.stringify(id))
      child.stdin.write(`\n${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`)
      const answered = () => lines.some((line) => line.includes(`"id":"${id}"`))
      const over = () => child.exitCode !== null || child.signalCode !== null
      await inTime(
        'the ping after it',
        new Promise<void>((resolve) => {
          current.changed = () => {
            if (answered() || over()) resolve()
          }
          current.changed()
        }),
      )
      promise(!over(), `the bridge lives on: ${stderr}`)
    }

    return {
      async take(input) {
        if (bridge !== null && (taken % LIFE === 0 || bridge.child.exitCode !== null)) {
          bridge.child.kill('SIGKILL')
          await once(bridge.child, 'exit')
          bridge = null
        }
        taken++
        bridge ??= start()
        const current = bridge
        for (const id of idsIn(input)) current.sent.add(id)
        current.child.stdin.write(input)
        await ping(current, current)
        const lines = current.lines.splice(0)
        const told = lines.map((line) => {
          expectNoValue('an answer', line)
          const answers = ([readJson(line)] as (Answer | Answer[])[]).flat()
          return answers.map((answer) => expectOwn(answer, current.sent)).join('+')
        })
        promise(!/mistake|Error|at /.test(current.stderr), `the bridge has nothing to complain about: ${current.stderr}`)
        return shapeOf([...new Set(told)].join(' '))
      },
      inspect() {
        if (bridge !== null) expectSmall('the bridge', bridge.child.pid)
        expectNoValue('what the bridge said', bridge?.stderr ?? '')
        desk.inspect()
      },
    }
  },
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return promise(false, `only JSON on standard output: ${line.slice(0, 100)}`)
  }
}
