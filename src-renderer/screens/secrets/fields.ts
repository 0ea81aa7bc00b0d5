// What is typed beside a secret's value: tags and the day it expires.

const MOST_TAGS = 32
const LONGEST_TAG = 64

/** Tags as they are typed, between commas; each once, in their order. */
export function tagsOf(text: string): string[] {
  const tags = text.split(',').map((tag) => tag.trim())
  return [...new Set(tags.filter((tag) => tag !== ''))]
}

/** What is wrong with them, as a sentence; null when nothing is. */
export function tagsFault(tags: readonly string[]): string | null {
  if (tags.length > MOST_TAGS) return `A secret has at most ${MOST_TAGS} tags.`
  return tags.some((tag) => tag.length > LONGEST_TAG) ? `A tag has at most ${LONGEST_TAG} characters.` : null
}

/** The end of a day as `<input type="date">` names it; null for none. The whole of that day still counts. */
export function endOfDay(day: string): number | null {
  const [year, month, date] = day.split('-').map(Number)
  if (year === undefined || month === undefined || date === undefined) return null
  const end = new Date(year, month - 1, date + 1).getTime() - 1
  return Number.isFinite(end) ? end : null
}

/** The other way round. */
export function dayOf(wall: number | null): string {
  if (wall === null) return ''
  const date = new Date(wall)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

const SOON_MS = 14 * 24 * 3_600_000

export function expiryState(expires: number | null, now: number): 'none' | 'later' | 'soon' | 'past' {
  if (expires === null) return 'none'
  if (expires <= now) return 'past'
  return expires - now <= SOON_MS ? 'soon' : 'later'
}
