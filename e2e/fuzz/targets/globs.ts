// A pattern and a name, a line each. The verdict is that of a regular expression made from the pattern, and it comes at once.

import { globFault, matches } from '../../../src-shared/glob.ts'
import { atOnce, promise, type Target } from '../target.ts'

/** What the pattern means, in another language. Only for patterns without fault. */
function meaning(pattern: string): RegExp {
  let source = ''
  let braces = false
  const chars = [...pattern]
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ''
    if (char === '*') source += '[^]*'
    else if (char === '?') source += '[^]'
    else if (char === '{') [source, braces] = [`${source}(?:`, true]
    else if (braces && char === ',') source += '|'
    else if (braces && char === '}') [source, braces] = [`${source})`, false]
    else if (char === '[') {
      const end = chars.indexOf(']', at + 1)
      const inside = chars.slice(at + 1, end)
      const negated = inside[0] === '!'
      source += negated ? '[^' : '['
      const members = negated ? inside.slice(1) : inside
      for (let i = 0; i < members.length; i++) {
        const isRange = members[i + 1] === '-' && members[i + 2] !== undefined
        source += isRange ? `${quoted(members[i])}-${quoted(members[i + 2])}` : quoted(members[i])
        if (isRange) i += 2
      }
      source += ']'
      at = end
    } else source += quoted(char)
  }
  return new RegExp(`^${source}$`, 'u')
}

const quoted = (char = ''): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`

export const globs: Target = {
  name: 'globs',
  words: ['*', '?', '[', ']', '[!', '{', '}', ',', '-', 'a', 'b', '/', '**', '[a-z]', '{a,b}', '\n', '*a*a*a*a'],
  fewRuns: 4000,
  inside: true,
  open: () => ({
    take(input) {
      const text = input.toString()
      const end = text.indexOf('\n')
      const [pattern, name] = end === -1 ? [text, text] : [text.slice(0, end), text.slice(end + 1, end + 257)]
      const fault = globFault(pattern)
      const verdict = atOnce('a verdict comes', () => matches(pattern, name))
      if (fault !== null) {
        promise(!verdict, 'a faulty pattern matches nothing')
        promise(fault.position >= 0 && fault.position <= [...pattern].length, 'a fault has its place in the pattern')
        return fault.message.replaceAll(/\S-\S/gu, 'a-b')
      }
      // A regular expression goes through every way to match; ours does not, and is the one asked about names.
      const isTame = (pattern.match(/[*]/g) ?? []).length <= 4 && name.length <= 60
      if (isTame) promise(verdict === meaning(pattern).test(name), `the pattern means what it says: ${verdict}`)
      promise(matches(pattern, name) === verdict, 'asked again it says the same')
      return `${verdict} ${[...new Set(pattern.replaceAll(/[^*?[\]{},!-]/g, 'a'))].join('')}`
    },
  }),
}
