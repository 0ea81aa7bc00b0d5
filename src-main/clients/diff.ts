// What an edit does, line by line, for a person to read before it happens. These files hold other people's tokens: of everything that
// is not ours, keys are shown and values are not.

import type { Splice } from './formats/document.ts'

const CONTEXT = 2

export function diffOf(text: string, splices: readonly Splice[]): string {
  const [first] = splices
  const last = splices.at(-1)
  if (first === undefined || last === undefined) return ''
  const before = pieces(text, splices, 'before')
  const after = pieces(text, splices, 'after')
  const [old, now] = [toLines(before), toLines(after)]
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const context = (lines: string[]) => lines.map((line) => `  ${line}`)
  return [
    ...context(now.slice(Math.max(0, head - CONTEXT), head)),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+ ${line}`),
    ...context(now.slice(now.length - tail, now.length - tail + CONTEXT)),
  ].join('\n')
}

/** A whole file of ours that comes or goes. */
export function wholeDiff(text: string, sign: '+' | '-'): string {
  return toLines(text)
    .map((line) => `${sign} ${line}`)
    .join('\n')
}

/** The text with the values of others hidden; what we insert, or take out again, is shown. */
function pieces(text: string, splices: readonly Splice[], side: 'before' | 'after'): string {
  let result = ''
  let at = 0
  for (const splice of splices) {
    result += hideValues(text.slice(at, splice.at))
    result += side === 'before' ? text.slice(splice.at, splice.at + splice.remove) : splice.insert
    at = splice.at + splice.remove
  }
  return result + hideValues(text.slice(at))
}

const QUOTED = /"(?:[^"\\\n]|\\.)*"(?!\s*:)|'[^'\n]*'(?!\s*:)/g
const BARE = /^(\s*(?:- )?[\w.-]+\s*[:=]\s+)([^\s"'[{|>&*#][^\n]*)$/gm
const ITEM = /^(\s*- )(?![\w.-]+:\s)([^\s"'[{][^\n]*)$/gm

function hideValues(text: string): string {
  return text
    .replaceAll(QUOTED, (quoted) => (quoted.length > 2 ? `${quoted[0]}…${quoted[0]}` : quoted))
    .replaceAll(BARE, '$1…')
    .replaceAll(ITEM, '$1…')
}

function toLines(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}
