// mcporter, a client that many agents use from their shell.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fetchJudge } from './fetch.ts'
import { hear, heard, judgesHome, openCourt, runJudge } from './support.ts'

const mcporter = await fetchJudge('mcporter', '0.12.3')

test('mcporter lists five tools and calls each', async ({ skip }) => {
  if ('missing' in mcporter) return skip(mcporter.missing)
  const { launch, person } = await openCourt('mcporter')
  const home = judgesHome()
  const config = path.join(home, 'mcporter.json')
  writeFileSync(config, JSON.stringify({ mcpServers: { countersign: launch }, imports: [] }))
  const program = path.join(mcporter.folder, 'dist', 'cli.js')
  const ask = async (...words: string[]): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await runJudge(program, ['--config', config, ...words], home)
    if (stdout === '') throw new Error(`mcporter said nothing but ${stderr}`)
    const said = JSON.parse(stdout) as Record<string, unknown>
    expect(code).toBe('isError' in said ? 1 : 0)
    return said
  }
  await hear(
    {
      listTools: async () => ((await ask('list', 'countersign', '--json'))['tools'] as { name: string }[]).map(({ name }) => name),
      // Of a call that went well it shows the structured part alone, where there is one.
      call: async (tool, args) => {
        const said = await ask('call', `countersign.${tool}`, '--args', JSON.stringify(args), '--output', 'json')
        return 'isError' in said || 'content' in said ? heard(said) : { isError: false, structured: said }
      },
    },
    person,
  )
})
