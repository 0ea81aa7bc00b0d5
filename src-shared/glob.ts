// Patterns over secret names: * (any run, / included), ?, [abc], [a-z], [!a], {a,b}. Whole name, case-sensitive.
// Matching walks the name once with the set of pattern positions that are still possible (no backtracking), so its time is
// bounded by name length × pattern length whatever the pattern.

type Step =
  | { kind: 'char'; test: (char: string) => boolean; next: number }
  | { kind: 'star'; next: number }
  | { kind: 'fork'; to: number[] }
  | { kind: 'end' }

type Glob = { steps: readonly Step[]; start: number }
export type GlobFault = { position: number; message: string }

class Fault extends Error {
  readonly position: number
  constructor(position: number, message: string) {
    super(message)
    this.position = position
  }
}

/** Why `pattern` cannot be used and where (counted from 0); null when it can. */
export function globFault(pattern: string): GlobFault | null {
  try {
    compile(pattern)
    return null
  } catch (error) {
    if (error instanceof Fault) return { position: error.position, message: error.message }
    throw error
  }
}

/** The first of `patterns` that matches the whole name; null when none does. A faulty pattern matches nothing. */
export function matchesAny(patterns: readonly string[], name: string): string | null {
  return patterns.find((pattern) => matches(pattern, name)) ?? null
}

export function matches(pattern: string, name: string): boolean {
  const known = compiled(pattern)
  if (known === null) return false
  const before = known.verdicts.get(name)
  if (before !== undefined) return before
  if (known.verdicts.size > MOST_VERDICTS) known.verdicts.clear()
  const verdict = run(known.glob, name)
  known.verdicts.set(name, verdict)
  return verdict
}

/** A pattern that has been read, and what it said of the names it was asked about: the same ones, with every list. */
interface Known {
  glob: Glob
  verdicts: Map<string, boolean>
}

const MOST_VERDICTS = 2000
const cache = new Map<string, Known | null>()

function compiled(pattern: string): Known | null {
  const known = cache.get(pattern)
  if (known !== undefined) return known
  // Patterns come from saved policies; the bound only keeps edits over years from piling up.
  if (cache.size > 5000) cache.clear()
  const glob = globFault(pattern) === null ? { glob: compile(pattern), verdicts: new Map<string, boolean>() } : null
  cache.set(pattern, glob)
  return glob
}

function run(glob: Glob, name: string): boolean {
  let current = new Set<number>()
  enter(glob, glob.start, current)
  for (const char of name) {
    const next = new Set<number>()
    for (const at of current) {
      const step = glob.steps[at]
      if (step?.kind === 'char' && step.test(char)) enter(glob, step.next, next)
      if (step?.kind === 'star') enter(glob, at, next)
    }
    if (next.size === 0) return false
    current = next
  }
  return [...current].some((at) => glob.steps[at]?.kind === 'end')
}

/** Adds a position and everything reachable from it without consuming a character. */
function enter(glob: Glob, start: number, into: Set<number>): void {
  const todo = [start]
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    if (into.has(at)) continue
    into.add(at)
    const step = glob.steps[at]
    if (step?.kind === 'star') todo.push(step.next)
    if (step?.kind === 'fork') todo.push(...step.to)
  }
}

/** Builds from the right, so that each step knows its successor. */
function compile(pattern: string): Glob {
  const steps: Step[] = [{ kind: 'end' }]
  const add = (step: Step): number => steps.push(step) - 1
  const build = (parts: Part[], next: number): number =>
    parts.reduceRight((following, part) => {
      if (part.kind === 'star') return add({ kind: 'star', next: following })
      if (part.kind === 'char') return add({ kind: 'char', test: part.test, next: following })
      return add({ kind: 'fork', to: part.choices.map((choice) => build(choice, following)) })
    }, next)
  const start = build(parse(pattern), 0)
  return { steps, start }
}

type Part = { kind: 'star' } | { kind: 'char'; test: (char: string) => boolean } | { kind: 'choice'; choices: Part[][] }

const MAX_PATTERN = 256

function parse(pattern: string): Part[] {
  const chars = [...pattern]
  if (chars.length === 0) throw new Fault(0, 'a pattern must not be empty')
  if (chars.length > MAX_PATTERN) throw new Fault(MAX_PATTERN, `a pattern has at most ${MAX_PATTERN} characters`)
  let at = 0

  const sequence = (inBraces: boolean): Part[] => {
    const parts: Part[] = []
    for (; at < chars.length; at++) {
      const char = chars[at] ?? ''
      if (inBraces && (char === ',' || char === '}')) return parts
      if (char === '*') parts.push({ kind: 'star' })
      else if (char === '?') parts.push({ kind: 'char', test: () => true })
      else if (char === '[') parts.push(set())
      else if (char === '{') parts.push(choice(inBraces))
      else if (char === '}') throw new Fault(at, 'this } closes nothing')
      else if (char === ']') throw new Fault(at, 'this ] closes nothing')
      else parts.push({ kind: 'char', test: (other) => other === char })
    }
    return parts
  }

  const choice = (inBraces: boolean): Part => {
    const open = at
    if (inBraces) throw new Fault(open, 'braces cannot be nested')
    const choices: Part[][] = []
    do {
      at++
      choices.push(sequence(true))
    } while (chars[at] === ',')
    if (chars[at] !== '}') throw new Fault(open, 'this { is never closed')
    return { kind: 'choice', choices }
  }

  const set = (): Part => {
    const open = at++
    const negated = chars[at] === '!'
    if (negated) at++
    const ranges: [string, string][] = []
    for (; at < chars.length && chars[at] !== ']'; at++) {
      const from = chars[at] ?? ''
      if (chars[at + 1] === '-' && chars[at + 2] !== undefined && chars[at + 2] !== ']') {
        const to = chars[at + 2] ?? ''
        if (order(from) > order(to)) throw new Fault(at, `the range ${from}-${to} runs backwards`)
        ranges.push([from, to])
        at += 2
      } else ranges.push([from, from])
    }
    if (chars[at] !== ']') throw new Fault(open, 'this [ is never closed')
    if (ranges.length === 0) throw new Fault(open, 'a set must not be empty')
    const inside = (char: string) => ranges.some(([from, to]) => order(char) >= order(from) && order(char) <= order(to))
    return { kind: 'char', test: negated ? (char) => !inside(char) : inside }
  }

  return sequence(false)
}

/** By code point: strings compare by halves of pairs, which puts an emoji before letters it comes after. */
const order = (char: string): number => char.codePointAt(0) ?? 0
