// The official Inspector on its command line, in both eras. Every one of its calls is a process that starts a bridge of its own.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fetchJudge } from './fetch.ts'
import { hear, heard, judgesHome, openCourt, runJudge } from './support.ts'

const inspector = await fetchJudge('@modelcontextprotocol/inspector', '2.12.0')

test.for(['legacy', 'modern'])('Inspector, in the %s era, lists five tools without a complaint and calls each', async (era, { skip }) => {
  if ('missing' in inspector) return skip(inspector.missing)
  const { launch, person } = await openCourt(`inspector-${era}`)
  const home = judgesHome()
  const config = path.join(home, 'servers.json')
  writeFileSync(config, JSON.stringify({ mcpServers: { countersign: { type: 'stdio', ...launch } } }))
  const program = path.join(inspector.folder, 'clients', 'launcher', 'build', 'index.js')
  const ask = async (...words: string[]): Promise<Record<string, unknown>> => {
    const common = ['--cli', '--config', config, '--server', 'countersign', '--protocol-era', era]
    const { code, stdout, stderr } = await runJudge(program, [...common, ...words], home)
    if (stdout === '') throw new Error(`Inspector said nothing but ${stderr}`)
    const said = JSON.parse(stdout) as Record<string, unknown>
    // It fails with a call that failed, and with `--strict` where it does not like a schema.
    expect(code === 0).toBe(said['isError'] !== true)
    return said
  }
  await hear(
    {
      listTools: async () => ((await ask('--method', 'tools/list', '--strict'))['tools'] as { name: string }[]).map(({ name }) => name),
      call: async (tool, args) => {
        const pairs = Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`])
        return heard(await ask('--method', 'tools/call', '--tool-name', tool, ...pairs))
      },
    },
    person,
  )
})
