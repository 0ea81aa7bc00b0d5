// `npm run docs:cli`: docs/cli.md, made from what the command line knows of itself. A test holds the page against this.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { EXIT } from '../src-main/cli/exit.ts'
import { COMMANDS, EVERYWHERE, EXITS, GROUPS, MANNER, usageOf, type CommandFacts } from '../src-main/cli/reference.ts'

const page = path.join(import.meta.dirname, '..', 'docs', 'cli.md')

/** A `|` would end the cell of a table. */
const cell = (text: string) => text.replaceAll('|', String.raw`\|`)
const code = (text: string) => `\`${cell(text)}\``
const rows = (entries: readonly (readonly [string, string])[]) => entries.map(([left, right]) => `| ${left} | ${right} |`).join('\n')
const table = (head: readonly [string, string], entries: readonly (readonly [string, string])[]) =>
  `| ${head[0]} | ${head[1]} |\n|---|---|\n${rows(entries)}\n`

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.?]$/.test(begun) ? begun : `${begun}.`
}

function section(command: CommandFacts): string {
  const name = ['countersign', command.words].filter(Boolean).join(' ')
  const options = (command.options ?? []).map(({ flag, does }) => [code(flag), cell(does)] as const)
  return [
    `### ${name}\n`,
    `\`\`\`\n${usageOf(command)}\n\`\`\`\n`,
    `${sentence(command.does)}\n`,
    ...(options.length === 0 ? [] : [table(['option', ''], options)]),
  ].join('\n')
}

function group([id, title]: [string, string]): string {
  const commands = Object.values(COMMANDS).filter((command) => command.group === id)
  return `## ${title}\n\n${commands.map(section).join('\n')}`
}

export function cliReference(): string {
  const exits = Object.entries(EXITS).map(([name, meaning]) => [String(EXIT[name as keyof typeof EXIT]), cell(meaning)] as const)
  return `# The command line

<!-- Made by \`npm run docs:cli\` from src-main/cli/reference.ts; edit that. -->

From a clone it is \`node dist/cli.js\`; an installed package brings \`countersign\`.

${MANNER}

${Object.entries(GROUPS).map(group).join('\n')}
## Everywhere

${table(
  ['option', ''],
  EVERYWHERE.map(({ flag, does }) => [code(flag), cell(does)]),
)}
## Exit codes

Scripts may rely on these.

${table(['code', 'meaning'], exits)}
## The host without a desktop

\`node dist/headless.js\` runs the host in the foreground, with its page in a browser.

${table(
  ['option', ''],
  [
    ['`--port N`', 'the port of the page; 8718 if left out, or any free one where that is taken'],
    ['`--http [N]`', 'MCP over HTTP is on for this run, on port N or the one in the settings ([http.md](http.md))'],
    ['`--json`', 'one JSON object on stdout when it is ready: where its page and its socket are'],
    ['`--restore-daily-copy`', 'goes back to the daily copy of a damaged vault database'],
    ['`--accept-vault`', 'goes on with a vault database that is older than it should be; a copy of it is kept'],
  ],
)}
## Environment

${table(
  ['variable', ''],
  [
    ['`COUNTERSIGN_HOME`', 'another data folder, by an absolute path; its keychain items are its own, too'],
    [
      '`COUNTERSIGN_PASSPHRASE_FILE`',
      'a file with the passphrase of the sealed vault, for hosts that start while nobody is there; refused when it belongs to or is open to others (`chmod 600`)',
    ],
    ['`COUNTERSIGN_NO_START`', 'set to `1`: a bridge that finds no host does not start one'],
  ],
)}`
}

if (import.meta.main) writeFileSync(page, cliReference())
