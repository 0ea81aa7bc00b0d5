import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { createBuilder, type Rolldown } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..')
const dist = path.join(root, 'dist')
const plain = ['bridge', 'cli', 'headless', 'host', 'audit-worker', 'keychain-helper'] as const
const programs = [...plain, 'desktop', 'keychain-utility', 'window-preload', 'prompt-preload'] as const

/** What a program may ask for beyond Node. */
const KEYTAR = ['@github/keytar', 'keytar']
const native: Partial<Record<(typeof programs)[number], string[]>> = {
  'keychain-helper': KEYTAR,
  'keychain-utility': KEYTAR,
  desktop: ['electron'],
  'window-preload': ['electron'],
  'prompt-preload': ['electron'],
}

const bundle = (program: string) => readFile(path.join(dist, `${program}.js`), 'utf8')

/** Every module a bundle asks for by name, however it asks; examples in the remarks of a package ask for nothing. */
function imports(code: string): string[] {
  const asked = code
    .replaceAll(/^\s*\* .*$/gm, '')
    .matchAll(/\b(?:require|import)\(\s*(["'`])([^"'`\n]+)\1\s*\)|\bfrom\s*(["'])([^"'\n]+)\3/g)
  return [...new Set([...asked].map((match) => match[2] ?? match[4] ?? ''))].toSorted()
}

/** The files a program is made of, as the build sees them; what the bundler itself adds has no path. */
async function sourcesOf(program: string): Promise<string[]> {
  const builder = await createBuilder({ configFile: path.join(root, 'vite.config.ts'), logLevel: 'silent', build: { write: false } })
  const environment = builder.environments[program] ?? expect.fail(`${program} is not built`)
  const built = (await builder.build(environment)) as Rolldown.RolldownOutput
  const ids = built.output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  return ids.filter((id) => !id.startsWith('\0')).map((id) => path.relative(root, id))
}

describe('the built programs', () => {
  test.each(programs)('%s is one strict CommonJS file that brings everything it needs', async (program) => {
    const code = await bundle(program)
    expect(code.replace(/^#!.*\n/, '')).toMatch(/^["']use strict["']/)
    expect(imports(code).filter((name) => !isBuiltin(name))).toEqual(native[program] ?? [])
  })

  test('say that they are CommonJS, whatever folder they are copied to', async () => {
    expect(JSON.parse(await readFile(path.join(dist, 'package.json'), 'utf8'))).toEqual({ type: 'commonjs' })
    expect((await readdir(dist)).toSorted()).toEqual([...programs.map((name) => `${name}.js`), 'package.json', 'renderer'].toSorted())
  })

  test.each(programs)('%s does not know where it was built', async (program) => {
    expect(await bundle(program)).not.toContain(root)
  })

  test.each(plain)('%s knows nothing of Electron', async (program) => {
    const names = imports(await bundle(program))
    expect(names.filter((name) => name.startsWith('electron'))).toEqual([])
  })

  test.each(['window-preload', 'prompt-preload'])('%s needs nothing but the sandbox has: no Node at all', async (program) => {
    expect(imports(await bundle(program))).toEqual(['electron'])
  })

  test.each(['bridge', 'cli', 'headless'])('%s runs on Node 20: it asks for nothing that Node 20 lacks', async (program) => {
    expect(imports(await bundle(program))).not.toContain('node:sqlite')
  })

  test('the bridge uses Node alone, loads nothing by a computed name, and carries neither zod nor any other package', async () => {
    const code = await bundle('bridge')
    expect(imports(code).filter((name) => !name.startsWith('node:'))).toEqual([])
    // What is loaded late, for a faster start, is named as plainly as the rest.
    const rest = code.replaceAll(/\(0, ?\w+\.createRequire\)\([\w.]+\)\((["`])node:[\w/]+\1\)/g, '')
    expect(rest).not.toMatch(/\bcreateRequire\b|\b(?:require|import)\((?!(["'`])[^"'`$]+\1\))/)
    expect(code).not.toMatch(/zod/i)
    const sources = await sourcesOf('bridge')
    expect(sources).toContain('src-main/bridge/main.ts')
    expect(sources.filter((source) => !/^src-(?:main|shared)\//.test(source))).toEqual([])
  })

  test('the command line is a command', async () => {
    expect(await bundle('cli')).toMatch(/^#!\/usr\/bin\/env node\n/)
    expect((await stat(path.join(dist, 'cli.js'))).mode & 0o111).toBe(0o111)
  })

  test('the page brings its own code and styles, inlines neither, and knows no Node', async () => {
    for (const page of ['index.html', 'prompt.html'])
      expect(await readFile(path.join(dist, 'renderer', page), 'utf8')).not.toMatch(
        /<style|<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=|https?:\/\//i,
      )
    const assets = path.join(dist, 'renderer', 'assets')
    for (const file of (await readdir(assets)).filter((name) => name.endsWith('.js'))) {
      const code = await readFile(path.join(assets, file), 'utf8')
      expect(imports(code).filter((name) => !name.startsWith('./'))).toEqual([])
    }
  })
})

// The linter's own rules about imports are easy to write so that they match nothing; so each wall is run into on purpose.
describe('an import across a wall', () => {
  const crossings: [folder: string, allowed: string[], refused: string[]][] = [
    ['src-shared', ['./names.ts', 'zod'], ['node:fs', 'fs', 'react', '../src-main/host/ports.ts', 'electron']],
    [
      'src-main/host',
      ['node:fs/promises', 'zod', './ports.ts', '../link/frames.ts', '../../src-shared/rpc.ts'],
      ['electron', 'ws', 'keytar', '../adapters/clock.ts', '../mcp/server.ts', '../web/server.ts', '../cli/main.ts', '../headless/main.ts'],
    ],
    ['src-main/host/audit', ['node:fs', '../ports.ts', '../../link/frames.ts'], ['electron/main', '../../adapters/clock.ts', 'fs']],
    [
      'src-main/mcp',
      ['./framing.ts', '../../src-shared/tools.ts'],
      ['node:net', 'zod', '../host/ports.ts', '../link/frames.ts', '../../src-shared/rpc.ts', '../../src-shared/settings.ts'],
    ],
    [
      'src-main/link',
      ['node:net', '../../src-shared/texts.ts'],
      ['zod', 'ws', '../host/ports.ts', '../../src-shared/rpc.ts', 'node:sqlite'],
    ],
    [
      'src-main/bridge',
      ['node:net', '../mcp/server.ts', '../link/frames.ts'],
      ['zod', '../host/ports.ts', '../web/server.ts', 'node:sqlite'],
    ],
    [
      'src-main/adapters',
      ['node:fs', 'keytar', '@github/keytar', '../host/ports.ts'],
      ['electron', 'zod', '../web/server.ts', '../mcp/server.ts'],
    ],
    [
      'src-main/web',
      ['node:http', 'ws', 'zod', '../host/rpc.ts', '../mcp/server.ts'],
      ['electron', 'react', '../bridge/main.ts', '../cli/main.ts'],
    ],
    ['src-main/headless', ['node:fs', '../host/host.ts', '../web/server.ts'], ['electron', 'ws', '../electron/main.ts']],
    ['src-main/clients', ['node:fs'], ['electron', 'electron/main', '../../src-renderer/main.tsx']],
    ['src-main/cli', ['node:fs', '../link/frames.ts'], ['electron', 'ws', '../electron/main.ts']],
    ['src-main/shell', ['node:fs', '../host/host.ts', '../adapters/clock.ts'], ['electron', 'ws', '../electron/main.ts']],
    [
      'src-main/electron',
      ['electron', 'node:fs', '../host/host.ts', '../web/files.ts', '../shell/open-host.ts'],
      ['ws', 'zod', 'electron/main', '../headless/main.ts', '../cli/main.ts', '../../src-renderer/main.tsx'],
    ],
    ['src-renderer', ['react', './main.tsx'], ['node:fs', 'electron', 'zod', '../src-main/host/ports.ts', '../src-shared/rpc.ts']],
  ]

  let folder: string
  const seen = new Set<string>()
  const key = (where: string, name: string) => `${where} → ${name}`

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'walls-'))
    const rules = await readFile(path.join(root, '.oxlintrc.json'), 'utf8')
    await writeFile(path.join(folder, '.oxlintrc.json'), rules.replace('"typeAware": true', '"typeAware": false'))
    const lines = new Map<string, string>()
    for (const [where, allowed, refused] of crossings) {
      await mkdir(path.join(folder, where), { recursive: true })
      const names = [...allowed, ...refused]
      const code = names.map((name, index) => `import { a as a${index} } from '${name}'\nconsole.info(a${index})\n`)
      await writeFile(path.join(folder, where, 'crossing.ts'), code.join(''))
      names.forEach((name, index) => lines.set(`${where}/crossing.ts:${index * 2 + 1}`, key(where, name)))
    }
    for (const [, at] of (await lint(folder)).matchAll(/^(.+?:\d+):\d+: .*no-restricted-imports\)\]$/gm))
      seen.add(lines.get(at ?? '') ?? `${at}`)
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  test.each(crossings)('from %s is refused by the linter, and nothing else is', (where, allowed, refused) => {
    expect(refused.filter((name) => !seen.has(key(where, name)))).toEqual([])
    expect(allowed.filter((name) => seen.has(key(where, name)))).toEqual([])
  })
})

function lint(folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const linter = path.join(root, 'node_modules', '.bin', 'oxlint')
    // It ends with 1 when it found something, which it must.
    execFile(linter, ['-f', 'unix', '.'], { cwd: folder }, (error, stdout, stderr) => {
      if (error?.code === 1) resolve(stdout)
      else reject(new Error(`the linter did not do its work: ${stderr || stdout}`))
    })
  })
}
