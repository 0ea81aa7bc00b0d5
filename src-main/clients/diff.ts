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

// A list of what may be shown, rather than of what may not: a key, brackets, the heading of a table, and nothing else.
const SHOWN = /^(\s*(?:- )?(?:(?:"[^"\\]*"|[\w.-]+)\s*[:=]\s*)?[{}[\],\s]*)(.*?)(\r?)$/
const HEADING = /^\s*\[{1,2}[\w."\s-]+\]{1,2}\s*$/

function hideValues(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      HEADING.test(line)
        ? line
        : line.replace(SHOWN, (_, shown: string, rest: string, end: string) => `${shown}${rest === '' ? '' : '…'}${end}`),
    )
    .join('\n')
}

function toLines(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}
