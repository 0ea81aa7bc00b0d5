import { EXIT } from './exit.ts'
import { COMMANDS, EVERYWHERE, EXITS, GROUPS, MANNER, usageOf, type CommandFacts } from './reference.ts'

const WIDTH = 100
const TEXT_AT = 39

/** Words in lines of `width`; an option stays in one piece. */
function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const piece of text.match(/\[[^\]]*\]|\S+/g) ?? []) {
    const last = lines.at(-1) ?? ''
    if (last === '') lines[lines.length - 1] = piece
    else if (last.length + 1 + piece.length <= width) lines[lines.length - 1] = `${last} ${piece}`
    else lines.push(piece)
  }
  return lines
}

function commandLines(command: CommandFacts): string[] {
  const [first = '', ...more] = wrap(usageOf(command), WIDTH - 2).map((line, index) => (index === 0 ? `  ${line}` : `      ${line}`))
  const text = wrap(command.does, WIDTH - TEXT_AT)
  const isShort = more.length === 0 && first.length < TEXT_AT - 1
  const beside = isShort ? [`${first.padEnd(TEXT_AT)}${text.shift() ?? ''}`] : [first, ...more]
  return [...beside, ...text.map((line) => ' '.repeat(TEXT_AT) + line)]
}

const groups = Object.keys(GROUPS).map((group) => Object.values(COMMANDS).filter((command) => command.group === group))
const exits = Object.entries(EXITS).map(([name, meaning]) => `${EXIT[name as keyof typeof EXIT]} ${meaning}`)

export const HELP = `countersign: the approval desk between AI clients and your keys

${groups.map((commands) => commands.flatMap(commandLines).join('\n')).join('\n\n')}

${EVERYWHERE.map(({ flag, does }) => `  ${flag.padEnd(11)}${does}`).join('\n')}

${wrap(MANNER, WIDTH).join('\n')}

Exit codes: ${wrap(`${exits.join('. ')}.`, WIDTH - 12).join('\n            ')}
`
