// What stands in the documents is true of the project: links lead somewhere, commands exist, examples do what they say.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { cliReference } from '../scripts/docs-cli.ts'
import { parseCommand } from '../src-main/cli/arguments.ts'
import { COMMANDS, usageOf } from '../src-main/cli/reference.ts'
import { readArguments } from '../src-main/headless/arguments.ts'
import { decide, type Question } from '../src-shared/decide.ts'
import { globFault } from '../src-shared/glob.ts'
import type { Policy } from '../src-shared/policy.ts'

const root = path.join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const below = (folder: string) => readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
const pages = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...below('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join('docs', file)),
]

interface Block {
  kind: string
  text: string
}
const FENCE = /^( *)```(\w*)\n([^]*?)^ *```$/gm
const blocksOf = (text: string): Block[] => [...text.matchAll(FENCE)].map(([, , kind = '', inside = '']) => ({ kind, text: inside }))
const withoutBlocks = (text: string) => text.replaceAll(FENCE, '')
const inlineOf = (text: string) => [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)

/** As GitHub makes them of headings. */
function anchorsOf(page: string): string[] {
  const headings = [...withoutBlocks(read(page)).matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) => title)
  return headings.map((title) =>
    title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function linksOf(page: string): string[] {
  const text = withoutBlocks(read(page)).replaceAll(/`[^`\n]*`/g, '')
  const written = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/(?:src|srcset|href)="([^"]+)"/g)].map(
    ([, target = '']) => target,
  )
  return written.filter((target) => !/^(https?|mailto):/.test(target))
}

describe.each(pages)('%s', (page) => {
  test('links to what is there', () => {
    const lost = linksOf(page).filter((link) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? page : path.join(path.dirname(page), decodeURIComponent(file))
      if (!existsSync(path.join(root, target))) return true
      return anchor !== undefined && !anchorsOf(target).includes(anchor)
    })
    expect(lost).toEqual([])
  })

  test('names files that are there', () => {
    const named = inlineOf(read(page)).flatMap(
      (code) => /^(?:\.\/)?((?:src-\w+|e2e|scripts|docs|bench|build)\/[\w./-]+)$/.exec(code)?.[1] ?? [],
    )
    expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
  })

  test('names npm scripts that are there', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const named = [...read(page).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
  })

  // The reference of the command line is made of placeholders, and has tests of its own below.
  test('writes command lines that the programs understand', () => {
    const refused = (page === 'docs/cli.md' ? [] : commandLines(read(page))).flatMap((line) => {
      try {
        understand(line)
        return []
      } catch (error) {
        return [`${line}: ${error instanceof Error ? error.message : ''}`]
      }
    })
    expect(refused).toEqual([])
  })

  // The answers over HTTP, several in a row among them, are compared by e2e/http-docs.test.ts.
  test('writes JSON that is JSON', () => {
    const blocks = page === 'docs/http.md' ? [] : blocksOf(read(page))
    const broken = blocks.filter(({ kind, text }) => kind === 'json' && !isJson(text) && !isJson(`{${text}}`))
    expect(broken).toEqual([])
  })

  test('names settings of the environment that the programs read', () => {
    const named = new Set(read(page).match(/\bCOUNTERSIGN_[A-Z_]+\b/g) ?? [])
    expect([...named].filter((name) => !readByPrograms().has(name))).toEqual([])
  })
})

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

let found: Set<string> | null = null
function readByPrograms(): Set<string> {
  const sources = ['src-main', 'e2e', 'scripts'].flatMap((folder) =>
    below(folder)
      .filter((file) => /\.(ts|js)$/.test(file))
      .map((file) => path.join(folder, file)),
  )
  found ??= new Set(sources.flatMap((file) => read(file).match(/\bCOUNTERSIGN_[A-Z_]+\b/g) ?? []))
  return found
}

const PROGRAM = /^(?:(?:\w+=\S+ )*)(countersign|node dist\/(?:cli|headless)\.js)(?= |$)/

/** Lines of shell blocks, and code within sentences. A remark stands behind two spaces or a `#`; before a pipe stands something else. */
function commandLines(text: string): string[] {
  const lines = blocksOf(text)
    .filter(({ kind }) => kind === '' || kind === 'sh')
    .flatMap((block) => block.text.split('\n'))
  return [...lines, ...inlineOf(text)]
    .map((line) => (line.split('|').at(-1) ?? '').trim())
    .map((line) => line.split(/ {2,}| #/)[0] ?? '')
    .filter((line) => PROGRAM.test(line))
}

function understand(line: string): void {
  const [, program = ''] = PROGRAM.exec(line) ?? []
  const words = line
    .slice(line.indexOf(program) + program.length)
    .replaceAll(/[[\]]/g, '')
    .split(' ')
    .filter(Boolean)
    .filter((word, index, all) => word !== '<' && all[index - 1] !== '<')
  if (words.includes('…')) return
  if (program.endsWith('headless.js')) readArguments(words)
  else if (words[0] !== 'mcp') parseCommand(words, Date.now())
}

test('every decision is in the list of decisions', () => {
  const decisions = readdirSync(path.join(root, 'docs', 'adr')).filter((file) => /^\d/.test(file))
  expect(decisions.filter((file) => !linksOf('docs/adr/README.md').includes(file))).toEqual([])
})

test('every page below docs is in the list of pages', () => {
  const listed = [...linksOf('docs/README.md'), 'README.md']
  const own = readdirSync(path.join(root, 'docs')).filter((file) => file.endsWith('.md'))
  expect(own.filter((file) => !listed.includes(file))).toEqual([])
})

test('every dependency has its reason', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>
  const names = [dependencies, devDependencies, optionalDependencies].flatMap((part) => Object.keys(part ?? {}))
  const [, reasons = ''] = read('CONTRIBUTING.md').split('## Dependencies')
  const given = reasons.split(/[|,\s]+/)
  expect(names.filter((name) => !given.includes(name) && !name.startsWith('@types/'))).toEqual([])
})

describe('the reference of the command line', () => {
  test('is what the program knows of itself; if this fails: npm run docs:cli', () => {
    expect(read('docs/cli.md')).toBe(cliReference())
  })

  test.each(Object.entries(COMMANDS).filter(([is]) => is !== 'mcp'))('has every option of %s as the parser has it', (is, facts) => {
    const options = (facts.options ?? []).map(({ flag }) => flag.replace('jsonl|csv', 'csv').replace('WORD', 'denied').split(' '))
    const words = facts.words.split(' ').filter(Boolean)
    expect(parseCommand([...words, ...options.flat()], 0)).toMatchObject({ is })
    expect(usageOf(facts).startsWith('countersign')).toBe(true)
  })
})

describe('policies by example', () => {
  const VERDICTS = { allow: 'allowed', ask: 'asks', deny: 'denied' } as const
  const ACTS: Record<string, Pick<Question, 'act' | 'tool'>> = {
    sees: { act: 'see', tool: 'list_secrets' },
    reads: { act: 'read', tool: 'get_secret' },
    stores: { act: 'write', tool: 'store_secret' },
  }
  const text = read('docs/policies.md')
  const examples = [...text.matchAll(/^```json\n([^]*?)^```\n\n\| act \| name \| verdict \|\n\|---\|---\|---\|\n((?:\|.*\n)+)/gm)].flatMap(
    ([, json = '', rows = '']) => {
      const policy = JSON.parse(json) as Policy
      return [...rows.matchAll(/^\| (\w+) \| `([^`]+)` \| (\w+) \|$/gm)].map(([, act = '', name = '', verdict = '']) => ({
        policy,
        act,
        name,
        verdict,
      }))
    },
  )

  test('are all of them looked at', () => {
    expect(examples.length).toBe((text.match(/^\| (sees|reads|stores) \|/gm) ?? []).length)
    expect(examples.length).toBeGreaterThan(15)
  })

  test.each(examples)('$policy.name: $act $name: $verdict', ({ policy, act, name, verdict }) => {
    for (const pattern of [...policy.allow, ...policy.deny]) expect(globFault(pattern)).toBeNull()
    const asked = { clientId: 'reader', secret: name, digest: null, ...ACTS[act] } as Question
    expect(VERDICTS[decide(asked, policy.name, policy, [], 0).kind]).toBe(verdict)
  })
})
