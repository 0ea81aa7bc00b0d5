// The examples of docs/http.md, run as they stand there, one after the other in one shell, against the built host.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { METHODS } from '../src-main/mcp/methods.ts'
import { openDesk } from './support/desk.ts'

const page = readFileSync(path.join(import.meta.dirname, '..', 'docs', 'http.md'), 'utf8')

interface Example {
  script: string
  /** What must come out of it; null where it only prepares the next. */
  answer: string | null
}

/** Every `sh` block, with the block that follows it directly. */
function examples(): Example[] {
  const blocks = [...page.matchAll(/^```(\w*)\n([^]*?)^```\n/gm)].map(({ 1: kind, 2: text, index, 0: all }) => ({
    kind,
    text: text ?? '',
    index,
    end: index + all.length,
  }))
  return blocks.flatMap(({ kind, text, end }, at) => {
    if (kind !== 'sh') return []
    const next = blocks[at + 1]
    const follows = next !== undefined && next.kind !== 'sh' && page.slice(end, next.index).trim() === ''
    return [{ script: text, answer: follows ? next.text.trim() : null }]
  })
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** `…` stands for whatever is different every time. */
function pattern(answer: string): RegExp {
  return new RegExp(
    `^${answer
      .split('…')
      .map((part) => escaped(part))
      .join('[^]*?')}$`,
  )
}

test('every example does what it says', async () => {
  const desk = await openDesk({ args: ['--http', '0'] })
  const { http } = desk.ready
  if (http === null || 'trouble' in http) throw new Error('there is no /mcp')
  await desk.someone.ask('policies.save', { name: 'scripts', description: '', allow: ['dev/*'], deny: [], reads: 'always' })
  await desk.someone.ask('secrets.store', { name: 'dev/api-key', value: 'example-value' })
  const { token } = await desk.someone.ask('tokens.add', { id: 'my-script', name: 'my-script', policy: 'scripts' })
  const shell = openShell(desk.home)
  const all = examples()
  expect(all.length).toBeGreaterThan(20)
  const failures: object[] = []
  for (const { script, answer } of all) {
    const here = script.replace('$(cat token.txt)', token).replace('http://127.0.0.1:8717/mcp', http.url)
    const waits = script.includes('store_secret')
    const said = shell.run(here)
    if (waits) await desk.someone.answerNext('allow')
    const output = (await said).trim()
    if (answer !== null && !pattern(answer).test(output)) failures.push({ script, answer, output })
  }
  expect(failures).toEqual([])
})

/** One shell for all of them, since functions and variables are carried on. */
function openShell(cwd: string): { run: (script: string) => Promise<string> } {
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd, stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void shell.kill())
  const lines = createInterface({ input: shell.stdout })
  let count = 0
  return {
    run: (script) =>
      new Promise((resolve) => {
        const mark = `--- done ${++count}`
        const output: string[] = []
        const take = (line: string) => {
          const at = line.indexOf(mark)
          if (at === -1) return void output.push(line)
          output.push(line.slice(0, at))
          lines.off('line', take)
          resolve(output.join('\n'))
        }
        lines.on('line', take)
        shell.stdin.write(`${script}\nprintf '%s\\n' '${mark}'\n`)
      }),
  }
}

test('every method there is has an example', () => {
  const shown = examples()
    .map(({ script }) => script)
    .join('\n')
  for (const method of METHODS.keys()) expect([method, shown.includes(`"method":"${method}"`)]).toEqual([method, true])
})
