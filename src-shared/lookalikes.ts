// Names that look like another one: letters of two scripts in one word, letters in unusual forms (full width, mathematical), or the
// same skeleton as a name that is known. The table covers the Cyrillic and Greek letters that common fonts draw like Latin ones, and
// 0 O, 1 l I; other scripts, and pairs such as rn and m, it does not.

const SCRIPTS = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
] as const

/** Pairs: the letter, and the Latin one it is drawn like. */
const DRAWN_ALIKE =
  'АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ХX аa еe оo рp сc уy хx ѕs іi јj һh ԁd ԛq ԝw ѵv кk вb мm нh тt ' +
  'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX αa εe ιi κk νv οo ρp υu χx γy ηn'
const LATIN = new Map(DRAWN_ALIKE.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)]))
const ONE_STROKE = /[1|i]/g

/** Why a name may be taken for another, as words to stand behind it; null for one that may not. `known`: names people know. */
export function lookalikeMark(text: string, known: readonly string[] = []): string | null {
  if (hasUnusualForm(text)) return 'has letters in an unusual form'
  for (const word of text.normalize('NFKC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    const [first, second] = SCRIPTS.filter(([, letters]) => letters.test(word)).map(([script]) => script)
    if (first !== undefined && second !== undefined) return `mixes ${first} and ${second} letters`
  }
  const names = [text, withoutVersion(text)]
  const twin = known.some((other) => names.some((name) => isAnother(name, other) && skeleton(name) === skeleton(other)))
  return twin ? 'looks like the name of another' : null
}

/** The first of the others that this name is, or looks like: exactly, to the eye, or with a version behind it. */
export function sameAtAGlance(text: string, others: readonly string[]): string | null {
  const names = [text, withoutVersion(text)].map(skeleton)
  return others.find((other) => names.includes(skeleton(other))) ?? null
}

/** A letter that Unicode keeps for compatibility: it is drawn like an ordinary one. Half-width kana is how some systems write. */
function hasUnusualForm(text: string): boolean {
  return [...text].some((char) => /\p{L}/u.test(char) && /^[A-Za-zА-яΑ-ω]$/.test(char.normalize('NFKC')) && char !== char.normalize('NFKC'))
}

/** What programs add to their names when they tell them: "Cursor 1.2.3". */
function withoutVersion(text: string): string {
  return text.replace(/ v?\d[^ ]*$/u, '')
}

function isAnother(name: string, other: string): boolean {
  return name.toLowerCase() !== other.toLowerCase()
}

function skeleton(text: string): string {
  const latin = [...text.normalize('NFKC')].map((char) => LATIN.get(char) ?? char).join('')
  return latin.toLowerCase().replaceAll('0', 'o').replaceAll(ONE_STROKE, 'l')
}
