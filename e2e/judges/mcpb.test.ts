// The bundle for Claude Desktop: made by our script, judged and unpacked by the official tool, and started as the bundle says.

import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { TOOL_NAMES } from '../../src-shared/tools.ts'
import { fetchJudge } from './fetch.ts'
import { judgesHome } from './support.ts'

const official = await fetchJudge('@anthropic-ai/mcpb', '2.1.2')
const root = path.join(import.meta.dirname, '..', '..')

test('the bundle is valid, and what is in it answers', async ({ skip }) => {
  if ('missing' in official) return skip(official.missing)
  expect(await run(path.join(root, 'scripts', 'mcpb.ts'))).toContain('Manifest schema validation passes')
  const home = judgesHome()
  const unpacked = path.join(home, 'unpacked')
  await run(path.join(official.folder, 'dist', 'cli', 'cli.js'), 'unpack', path.join(root, '.scratch', 'countersign.mcpb'), unpacked)
  const { server, tools } = JSON.parse(readFileSync(path.join(unpacked, 'manifest.json'), 'utf8')) as {
    server: { mcp_config: { args: string[] } }
    tools: { name: string }[]
  }
  expect(tools.map(({ name }) => name)).toEqual([...TOOL_NAMES])
  const args = server.mcp_config.args.map((word) => word.replace('${__dirname}', unpacked))
  const child = spawn(process.execPath, args, {
    env: { HOME: home, PATH: process.env['PATH'], COUNTERSIGN_NO_START: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  child.stdin.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'claude-ai', version: '0.1.0' } } })}\n`,
  )
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve))
  expect(JSON.parse(line)).toMatchObject({ id: 1, result: { serverInfo: { name: 'countersign' } } })
})

function run(script: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, ...args], (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${error.message}\n${stderr}`))
    })
  })
}
