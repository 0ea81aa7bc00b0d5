import { parseArgs } from 'node:util'

export interface Arguments {
  json: boolean
  /** Of the page; left out: the usual one, or any free one. */
  port: number | undefined
  /** What the person decides about a vault database that is damaged, or older than it should be. */
  recover: 'daily copy' | 'as it is' | null
  /** `--http [port]`: `/mcp` is served whatever is set; null: on the port that is set. */
  http: { port: number | null } | undefined
}

const USAGE = 'usage: headless [--json] [--port N] [--http [N]] [--restore-daily-copy | --accept-vault]'

export function readArguments(argv: readonly string[]): Arguments {
  const { rest, http } = takeHttp(argv)
  const { values } = parseArgs({
    args: rest,
    options: {
      json: { type: 'boolean' },
      port: { type: 'string' },
      'restore-daily-copy': { type: 'boolean' },
      'accept-vault': { type: 'boolean' },
    },
  })
  return {
    json: values.json ?? false,
    port: values.port === undefined ? undefined : portOf(values.port),
    recover: values['restore-daily-copy'] ? 'daily copy' : values['accept-vault'] ? 'as it is' : null,
    http,
  }
}

/** Node's parser has no options whose value may be left out. */
function takeHttp(argv: readonly string[]): { rest: string[]; http: Arguments['http'] } {
  const at = argv.findIndex((word) => word === '--http' || word.startsWith('--http='))
  const word = argv[at]
  if (word === undefined) return { rest: [...argv], http: undefined }
  const next = argv[at + 1]
  const follows = word === '--http' && next !== undefined && !next.startsWith('-')
  const given = follows ? next : word === '--http' ? null : word.slice('--http='.length)
  return { rest: argv.toSpliced(at, follows ? 2 : 1), http: { port: given === null ? null : portOf(given) } }
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 65_536
  if (port > 65_535) throw new Error(USAGE)
  return port
}
