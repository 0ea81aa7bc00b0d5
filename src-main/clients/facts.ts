// What we know about each AI client: where its configuration lies, how it is written, and what our entry looks like in it. Facts
// only; whoever learns something new about a client changes a row here and nothing else.
//
// Paths: {home}, {config} ($XDG_CONFIG_HOME or ~/.config), {support} (macOS), {appdata}, {localappdata} (Windows). One `*` stands for
// any name in its segment. Of several paths in one list the first that exists counts, else the first.

import type { Launch } from '../../src-shared/rpc.ts'
import type { ClientLock } from './client-lock.ts'

export type { Launch }

export type Format =
  | { kind: 'json'; comments: boolean; trailingCommas: boolean }
  | { kind: 'toml' }
  /** A map from name to entry, or a list whose entries carry their name. */
  | { kind: 'yaml'; shape: 'map' | 'list' }

export type System = 'mac' | 'windows' | 'linux'

export interface ClientFacts {
  id: string
  name: string
  places: Record<System, readonly (readonly string[])[]>
  /** An environment variable that moves the folder of the file. */
  moved?: { variable: string; file: string }
  /** What shows that the client is here, where the file's own folder does not. */
  marker?: string
  /** Folders between marker and file that a fresh install has not made yet. */
  folders?: number
  format: Format
  /** Keys that lead to the map (or list) of servers. */
  path: readonly string[]
  entry: (launch: Launch) => Record<string, unknown>
  /** The lock its own writer takes. */
  lock?: ClientLock
  /** What the person does for the client to notice. */
  after: string
  /** Rewrites its file from memory while it runs, and so may drop what others added. */
  forgetful?: true
  /** Programs whose running means that the client runs. */
  programs?: readonly string[]
  link?: 'cursor' | 'vscode' | 'vscode-insiders'
}

const STRICT: Format = { kind: 'json', comments: false, trailingCommas: false }
const JSONC: Format = { kind: 'json', comments: true, trailingCommas: true }

const everywhere = (...paths: string[]): ClientFacts['places'] => ({ mac: [paths], windows: [paths], linux: [paths] })

/** Most clients keep the command, its arguments and what to add to the environment under these names. */
const plain = ({ command, args, env }: Launch): Record<string, unknown> => ({ command, args, ...given('env', env) })
const given = (key: string, env: Record<string, string>) => (Object.keys(env).length === 0 ? {} : { [key]: env })

/** Long enough for a person to come back to the desk; clients give up after a minute or so otherwise. */
const WAIT_S = 900
const WAIT_MS = WAIT_S * 1000

const vscode = (folder: string): ClientFacts['places'] => ({
  mac: [[`{support}/${folder}/User/mcp.json`]],
  windows: [[`{appdata}/${folder}/User/mcp.json`]],
  linux: [[`{config}/${folder}/User/mcp.json`]],
})

const CLINE = 'User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'
const clineIn = (root: string) => [
  ...['Code', 'Code - Insiders', 'Cursor'].map((editor) => [`${root}/${editor}/${CLINE}`]),
  ['{home}/.cline/data/settings/cline_mcp_settings.json'],
]

export const CLIENTS: readonly ClientFacts[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    places: {
      mac: [['{support}/Claude/claude_desktop_config.json']],
      // The store package sees a folder of its own; the older installer does not. Whatever is there is written.
      windows: [
        ['{localappdata}/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json'],
        ['{appdata}/Claude/claude_desktop_config.json'],
      ],
      linux: [['{config}/Claude/claude_desktop_config.json']],
    },
    format: STRICT,
    path: ['mcpServers'],
    entry: plain,
    after: 'Quit Claude Desktop completely (in the tray too) and start it again.',
    forgetful: true,
    programs: ['Claude', 'claude-desktop', 'Claude.exe'],
  },
  {
    id: 'cursor',
    name: 'Cursor',
    places: everywhere('{home}/.cursor/mcp.json'),
    // Not documented, so what stands there is kept, and what we add is plain JSON.
    format: JSONC,
    path: ['mcpServers'],
    entry: plain,
    after: 'Look in Cursor under Settings, Tools & MCP; switch countersign off and on if it is not there.',
    programs: ['Cursor', 'cursor', 'Cursor.exe'],
    link: 'cursor',
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    places: everywhere('{home}/.claude.json'),
    moved: { variable: 'CLAUDE_CONFIG_DIR', file: '.claude.json' },
    marker: '{home}/.claude',
    format: STRICT,
    path: ['mcpServers'],
    // No timeout: here a value would become a hard limit, and without one it waits.
    entry: (launch) => ({ type: 'stdio', ...plain(launch) }),
    lock: 'proper-lockfile',
    after: 'Takes effect with the next session of Claude Code.',
  },
  {
    id: 'vscode',
    name: 'VS Code',
    places: vscode('Code'),
    format: JSONC,
    path: ['servers'],
    entry: (launch) => ({ type: 'stdio', ...plain(launch) }),
    after: 'VS Code asks once whether to trust the server.',
    link: 'vscode',
  },
  {
    id: 'vscode-insiders',
    name: 'VS Code Insiders',
    places: vscode('Code - Insiders'),
    format: JSONC,
    path: ['servers'],
    entry: (launch) => ({ type: 'stdio', ...plain(launch) }),
    after: 'VS Code asks once whether to trust the server.',
    link: 'vscode-insiders',
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    places: everywhere('{home}/.codeium/windsurf/mcp_config.json'),
    format: STRICT,
    path: ['mcpServers'],
    entry: plain,
    after: 'Press Refresh in the MCP panel of Windsurf.',
  },
  {
    id: 'codex',
    name: 'Codex',
    places: everywhere('{home}/.codex/config.toml'),
    moved: { variable: 'CODEX_HOME', file: 'config.toml' },
    format: { kind: 'toml' },
    path: ['mcp_servers'],
    entry: ({ command, args, env }) => ({ command, args, tool_timeout_sec: WAIT_S, ...given('env', env) }),
    after: 'Takes effect with the next session of Codex.',
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    places: everywhere('{home}/.gemini/settings.json'),
    format: { kind: 'json', comments: true, trailingCommas: false },
    path: ['mcpServers'],
    entry: (launch) => ({ ...plain(launch), timeout: WAIT_MS }),
    after: 'Takes effect with the next session, in folders that Gemini CLI trusts.',
  },
  {
    id: 'opencode',
    name: 'opencode',
    places: everywhere('{config}/opencode/opencode.jsonc', '{config}/opencode/opencode.json'),
    format: JSONC,
    path: ['mcp'],
    entry: ({ command, args, env }) => ({
      type: 'local',
      command: [command, ...args],
      ...given('environment', env),
      enabled: true,
      timeout: WAIT_MS,
    }),
    after: 'Start opencode again.',
  },
  {
    id: 'copilot-cli',
    name: 'GitHub Copilot CLI',
    places: everywhere('{home}/.copilot/mcp-config.json'),
    moved: { variable: 'COPILOT_HOME', file: 'mcp-config.json' },
    format: JSONC,
    path: ['mcpServers'],
    entry: (launch) => ({ type: 'local', ...plain(launch), tools: ['*'], timeout: WAIT_MS }),
    lock: { flock: '.mcp-writer.lock' },
    after: 'Takes effect with the next session of Copilot.',
  },
  {
    id: 'cline',
    name: 'Cline',
    places: { mac: clineIn('{support}'), windows: clineIn('{appdata}'), linux: clineIn('{config}') },
    folders: 1,
    format: STRICT,
    path: ['mcpServers'],
    entry: (launch) => ({ ...plain(launch), timeout: WAIT_S }),
    after: 'Cline notices by itself; its command line with the next session.',
  },
  {
    id: 'continue',
    name: 'Continue',
    places: everywhere('{home}/.continue/config.yaml'),
    format: { kind: 'yaml', shape: 'list' },
    path: ['mcpServers'],
    entry: ({ command, args, env }) => ({ name: 'countersign', command, args, ...given('env', env) }),
    after: 'Reload the window of Continue.',
  },
  {
    id: 'goose',
    name: 'Goose',
    places: {
      mac: [['{home}/.config/goose/config.yaml']],
      windows: [['{appdata}/Block/goose/config/config.yaml']],
      linux: [['{config}/goose/config.yaml']],
    },
    format: { kind: 'yaml', shape: 'map' },
    path: ['extensions'],
    entry: ({ command, args, env }) => ({
      name: 'countersign',
      type: 'stdio',
      cmd: command,
      args,
      envs: env,
      enabled: true,
      timeout: WAIT_S,
    }),
    after: 'Takes effect with the next session of Goose.',
  },
  {
    id: 'zed',
    name: 'Zed',
    places: {
      mac: [['{home}/.config/zed/settings.json', '{support}/Zed/settings.json']],
      windows: [['{appdata}/Zed/settings.json']],
      linux: [['{config}/zed/settings.json'], ['{home}/.var/app/dev.zed.Zed/config/zed/settings.json']],
    },
    format: JSONC,
    path: ['context_servers'],
    entry: (launch) => ({ source: 'custom', enabled: true, ...plain(launch), timeout: 600 }),
    after: 'Zed notices by itself.',
  },
  {
    id: 'lm-studio',
    name: 'LM Studio',
    places: everywhere('{home}/.lmstudio/mcp.json', '{home}/.cache/lm-studio/mcp.json'),
    format: STRICT,
    path: ['mcpServers'],
    entry: plain,
    after: 'Switch countersign on in the Program tab of LM Studio.',
  },
  {
    id: 'kiro',
    name: 'Kiro',
    places: everywhere('{home}/.kiro/settings/mcp.json'),
    folders: 1,
    format: STRICT,
    path: ['mcpServers'],
    entry: plain,
    after: 'Kiro connects by itself.',
  },
  {
    id: 'amp',
    name: 'Amp',
    places: {
      mac: [['{home}/.config/amp/settings.json']],
      windows: [['{appdata}/amp/settings.json']],
      linux: [['{config}/amp/settings.json']],
    },
    format: JSONC,
    // One key with a dot in it.
    path: ['amp.mcpServers'],
    entry: plain,
    after: 'Takes effect with the next session of Amp.',
  },
]

/** The name our entry has in every client. Some clients join it with the tool's name and allow 60 characters for both. */
export const ENTRY_NAME = 'countersign'

/** How a client starts the bridge: it names the client, and the key is found by that name in our own folder. null: a stranger. */
export function launchFor(client: string | null, { command, args, env }: Launch): Launch {
  return { command, args: [...args, 'mcp', ...(client === null ? [] : ['--client', client])], env }
}

export function factsOf(id: string): ClientFacts | null {
  return CLIENTS.find((client) => client.id === id) ?? null
}
