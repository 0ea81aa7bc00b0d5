// What of a request has come into the person's view. Title and warnings count only while they are wholly in view; every other fact has
// to have been in view once. What an ancestor cuts off is not in view.

const ALWAYS = '[data-in-sight]'
const ONCE = 'p, dd:not(:has(details)), li, fieldset, summary'
/** What is folded away, such as the whole chain of processes: its summary is in view. */
const INNER = 'details > :not(summary) *'
/** Less than this is the rounding of fractions of a pixel. */
const WHOLE = 0.98
const STEPS = Array.from({ length: 21 }, (_, step) => step / 20)

export interface Sight {
  /** The first element that has to come into view, null when there is none, undefined while that is not known. */
  unseen: () => Element | null | undefined
  stop: () => void
}

export function watchSight(root: Element | null): Sight {
  const always = root === null ? [] : [...root.querySelectorAll(ALWAYS)]
  const once = root === null ? [] : [...root.querySelectorAll(ONCE)].filter((element) => !element.matches(`${INNER}, ${ALWAYS}, footer *`))
  const inView = new Set<Element>()
  const seen = new Set<Element>()
  let isKnown = false
  const observer = new IntersectionObserver(
    (entries) => {
      isKnown = true
      for (const entry of entries) {
        if (isWhole(entry)) {
          inView.add(entry.target)
          seen.add(entry.target)
        } else {
          inView.delete(entry.target)
        }
      }
    },
    { threshold: STEPS },
  )
  for (const element of [...always, ...once]) observer.observe(element)
  return {
    unseen: () => {
      if (!isKnown || document.visibilityState !== 'visible') return undefined
      // What is no longer in the page has nothing to show.
      return (
        always.find((element) => element.isConnected && !inView.has(element)) ??
        once.find((element) => element.isConnected && !seen.has(element)) ??
        null
      )
    },
    stop: () => observer.disconnect(),
  }
}

/** Scrolls as little as shows all of it, or its end where it is higher than the view. */
export function bringIntoView(element: Element): void {
  element.scrollIntoView({ block: 'nearest' })
  const facts = element.closest('[data-facts]')
  if (facts === null) return
  const below = element.getBoundingClientRect().bottom - facts.getBoundingClientRect().bottom
  if (below > 0) facts.scrollTop += Math.ceil(below)
}

function isWhole({ intersectionRatio, intersectionRect, boundingClientRect }: IntersectionObserverEntry): boolean {
  if (intersectionRatio >= WHOLE) return true
  // Higher than the view: to its end.
  const cutAbove = intersectionRect.top > boundingClientRect.top + 1
  return cutAbove && intersectionRect.height > 0 && intersectionRect.bottom >= boundingClientRect.bottom - 1
}
