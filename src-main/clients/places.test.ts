import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CLIENTS, factsOf, type ClientFacts, type System } from './facts.ts'
import { installLink } from './links.ts'
import { filesOf } from './places.ts'
import { LAUNCH } from './testing/fixtures.ts'

function home(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'countersign-places-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const facts = (id: string) => factsOf(id) as ClientFacts
const look = (id: string, system: System, root: string, env: Record<string, string> = {}) =>
  filesOf(facts(id), { system, home: root, env }).map((file) => path.relative(root, file))

describe('a client', () => {
  test.each(['mac', 'windows', 'linux'] as const)('that is not here has no file, on %s', (system) => {
    const root = home()
    expect(CLIENTS.flatMap((client) => filesOf(client, { system, home: root, env: {} }))).toEqual([])
  })

  test('has ids that can be registered, and names its entry the same everywhere', () => {
    expect(new Set(CLIENTS.map(({ id }) => id)).size).toBe(CLIENTS.length)
    for (const { id } of CLIENTS) expect(id).toMatch(/^[a-z0-9][a-z0-9-]{0,63}$/)
  })
})

describe('Claude Desktop', () => {
  const CONFIG = 'claude_desktop_config.json'

  test('is looked for where each system keeps it', () => {
    const root = home()
    for (const folder of ['Library/Application Support/Claude', '.config/Claude', 'AppData/Roaming/Claude'])
      mkdirSync(path.join(root, folder), { recursive: true })
    expect(look('claude-desktop', 'mac', root)).toEqual([`Library/Application Support/Claude/${CONFIG}`])
    expect(look('claude-desktop', 'linux', root)).toEqual([`.config/Claude/${CONFIG}`])
    expect(look('claude-desktop', 'windows', root)).toEqual([`AppData/Roaming/Claude/${CONFIG}`])
  })

  test('from the store has a folder of its own on Windows, and both are written where both are', () => {
    const root = home()
    const store = 'AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude'
    mkdirSync(path.join(root, store), { recursive: true })
    mkdirSync(path.join(root, 'AppData/Local/Packages/Other_123'), { recursive: true })
    expect(look('claude-desktop', 'windows', root)).toEqual([`${store}/${CONFIG}`])
    mkdirSync(path.join(root, 'AppData/Roaming/Claude'), { recursive: true })
    expect(look('claude-desktop', 'windows', root)).toEqual([`${store}/${CONFIG}`, `AppData/Roaming/Claude/${CONFIG}`])
  })

  test('follows XDG_CONFIG_HOME and APPDATA', () => {
    const root = home()
    mkdirSync(path.join(root, 'elsewhere', 'Claude'), { recursive: true })
    const elsewhere = path.join(root, 'elsewhere')
    expect(look('claude-desktop', 'linux', root, { XDG_CONFIG_HOME: elsewhere })).toEqual([`elsewhere/Claude/${CONFIG}`])
    expect(look('claude-desktop', 'windows', root, { APPDATA: elsewhere })).toEqual([`elsewhere/Claude/${CONFIG}`])
  })
})

describe('the file', () => {
  test('that exists is chosen among alternatives', () => {
    const root = home()
    mkdirSync(path.join(root, '.config', 'opencode'), { recursive: true })
    expect(look('opencode', 'linux', root)).toEqual(['.config/opencode/opencode.jsonc'])
    writeFileSync(path.join(root, '.config', 'opencode', 'opencode.json'), '{}')
    expect(look('opencode', 'linux', root)).toEqual(['.config/opencode/opencode.json'])
  })

  test('moves with the variable that moves it', () => {
    const root = home()
    mkdirSync(path.join(root, 'codex'))
    expect(look('codex', 'linux', root, { CODEX_HOME: path.join(root, 'codex') })).toEqual(['codex/config.toml'])
  })

  test('of Claude Code is known by its folder before it exists', () => {
    const root = home()
    mkdirSync(path.join(root, '.claude'))
    expect(look('claude-code', 'linux', root)).toEqual(['.claude.json'])
  })
})

describe('an install link', () => {
  test('of Cursor carries the entry itself', () => {
    const link = new URL(installLink(facts('cursor'), LAUNCH) ?? '')
    expect(link.href.startsWith('cursor://anysphere.cursor-deeplink/mcp/install?')).toBe(true)
    expect(JSON.parse(Buffer.from(link.searchParams.get('config') ?? '', 'base64').toString())).toEqual(facts('cursor').entry(LAUNCH))
  })

  test('of VS Code carries the entry and its name', () => {
    const [scheme, config = ''] = (installLink(facts('vscode'), LAUNCH) ?? '').split('?')
    expect(scheme).toBe('vscode:mcp/install')
    expect(JSON.parse(decodeURIComponent(config))).toEqual({ name: 'countersign', ...facts('vscode').entry(LAUNCH) })
  })
})
