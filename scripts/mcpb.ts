// A bundle that Claude Desktop installs by opening it: `npm run mcpb`, after `npm run build`. It holds the bridge and nothing else; as
// nobody has registered it, its calls come as an unregistered client's, and every one of them asks.

import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { TOOLS } from '../src-shared/tools.ts'
import { fetchJudge } from '../e2e/judges/fetch.ts'

const root = path.join(import.meta.dirname, '..')
const bridge = path.join(root, 'dist', 'bridge.js')
const folder = path.join(root, '.scratch', 'mcpb')
const bundle = path.join(root, '.scratch', 'countersign.mcpb')

interface PackageFile {
  version: string
  description: string
  license: string
}

function manifest({ version, description, license }: PackageFile): object {
  return {
    manifest_version: '0.3',
    name: 'countersign',
    display_name: 'Countersign',
    version,
    description,
    author: { name: 'Countersign' },
    license,
    server: {
      type: 'node',
      entry_point: 'server/bridge.js',
      mcp_config: { command: 'node', args: ['${__dirname}/server/bridge.js', 'mcp'] },
    },
    tools: TOOLS.map(({ name, description }) => ({ name, description })),
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: '>=20' } },
  }
}

function mcpb(program: string, ...args: string[]): void {
  const { status } = spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`mcpb ${args[0]} failed`)
}

if (!existsSync(bridge)) throw new Error('There is no bridge yet: npm run build')
const official = await fetchJudge('@anthropic-ai/mcpb', '2.1.2')
if ('missing' in official) throw new Error(official.missing)
const program = path.join(official.folder, 'dist', 'cli', 'cli.js')

rmSync(folder, { recursive: true, force: true })
mkdirSync(path.join(folder, 'server'), { recursive: true })
// The file is our own, checked in.
writeFileSync(
  path.join(folder, 'manifest.json'),
  `${JSON.stringify(manifest(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as PackageFile), null, 2)}\n`,
)
copyFileSync(bridge, path.join(folder, 'server', 'bridge.js'))
writeFileSync(path.join(folder, 'server', 'package.json'), '{ "type": "commonjs" }\n')
mcpb(program, 'validate', path.join(folder, 'manifest.json'))
mcpb(program, 'pack', folder, bundle)
