// Names and titles that somebody else chose: clients, processes, imported secrets. They are shown as one bounded line in which
// nothing can hide: whatever is invisible, moves the text around it or breaks the line appears as a code like ⟨U+202E⟩.

/** Controls, format characters (bidi, zero-width, tags), private use, unassigned, line ends, and everything drawn as nothing. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u
/** Spaces other than the plain one look like it and are not. */
const ODD_SPACE = /(?! )\p{Zs}/u
const MARK = /\p{M}/u
/** More marks than any script stacks on one letter paint over the lines above and below. */
const MOST_MARKS = 4

/** `text` as one visible line of at most `max` characters; what does not fit becomes `…`. */
export function showUntrusted(text: string, max = 50): string {
  const shown: string[] = []
  let length = 0
  let marks = 0
  let before = ''
  for (const char of text) {
    marks = MARK.test(char) ? marks + 1 : 0
    const piece =
      isHidden(char) || marks > MOST_MARKS || (marks > 0 && before === '') || (char === ' ' && before === ' ') ? code(char) : char
    shown.push(piece)
    // A code counts as one step to cut at, so that none is ever cut in half.
    length += piece === char ? 1 : piece.length
    before = char
    if (length > max) return cut(shown, max)
  }
  return shown.join('')
}

/** A path as one visible line of at most `max` characters. What does not fit is left out of the middle: two files of one folder stay apart. */
export function showPath(text: string, max = 60): string {
  const pieces = showUntrusted(text, Number.POSITIVE_INFINITY).match(/⟨U\+[0-9A-F]+⟩|./gsu) ?? []
  const width = pieces.reduce((sum, piece) => sum + widthOf(piece), 0)
  if (width <= max) return pieces.join('')
  const start = take(pieces, Math.floor((max - 1) / 3))
  const end = take(pieces.toReversed(), max - 1 - Math.floor((max - 1) / 3)).toReversed()
  return `${start.join('')}…${end.join('')}`
}

/** As many of the first pieces as fit. */
function take(pieces: readonly string[], room: number): string[] {
  const taken: string[] = []
  for (const piece of pieces) {
    room -= widthOf(piece)
    if (room < 0) break
    taken.push(piece)
  }
  return taken
}

/** A value as a person may look at it: its own lines are kept, everything hidden in them is shown. */
export function showLines(text: string): string {
  return text
    .split('\n')
    .map((line) => showUntrusted(line, Number.POSITIVE_INFINITY))
    .join('\n')
}

function isHidden(char: string): boolean {
  // A lone surrogate is one unit long here; a pair is two. Our own brackets are coded too, so that no name can forge a code.
  return HIDDEN.test(char) || ODD_SPACE.test(char) || isLoneSurrogate(char) || char === '⟨' || char === '⟩'
}

function isLoneSurrogate(char: string): boolean {
  return char.length === 1 && char >= '\ud800' && char <= '\udfff'
}

function code(char: string): string {
  return `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
}

function cut(shown: string[], max: number): string {
  let length = shown.reduce((sum, piece) => sum + widthOf(piece), 0)
  while (length > max - 1 && shown.length > 0) length -= widthOf(shown.pop() ?? '')
  return `${shown.join('')}…`
}

function widthOf(piece: string): number {
  return piece.startsWith('⟨') ? piece.length : 1
}
