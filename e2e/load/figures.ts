// Numbers out of many numbers.

export interface Spread {
  count: number
  p50: number
  p95: number
  p99: number
  max: number
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: sorted.at(-1) ?? Number.NaN }
}

export interface Slope {
  /** Per unit of x. */
  slope: number
  /** Of a 95 % interval. */
  low: number
  high: number
}

/** Of so many windows with two degrees of freedom less, the 97.5 % point of Student's distribution. */
const WINDOWS = 12
const STUDENT = 2.228

/**
 * The line through the means of equal windows, or through what else stands for them. Neighbouring samples of a process's memory know of each other, so that a line through
 * all of them would seem far more certain than it is; the means of windows hardly do.
 */
export function slopeOf(points: readonly { x: number; y: number }[], standsFor: (values: readonly number[]) => number = mean): Slope {
  const size = points.length / WINDOWS
  if (size < 1) throw new Error(`a slope needs at least ${WINDOWS} samples, there are ${points.length}`)
  const means = Array.from({ length: WINDOWS }, (_, n) => {
    const window = points.slice(Math.floor(n * size), Math.floor((n + 1) * size))
    return { x: mean(window.map(({ x }) => x)), y: standsFor(window.map(({ y }) => y)) }
  })
  const [mx, my] = [mean(means.map(({ x }) => x)), mean(means.map(({ y }) => y))]
  const spread = sum(means.map(({ x }) => (x - mx) ** 2))
  const slope = sum(means.map(({ x, y }) => (x - mx) * (y - my))) / spread
  const rest = sum(means.map(({ x, y }) => (y - my - slope * (x - mx)) ** 2))
  const doubt = STUDENT * Math.sqrt(rest / (WINDOWS - 2) / spread)
  return { slope, low: slope - doubt, high: slope + doubt }
}

/** What goes up and down all the time and is level has a level least; what leaks has not. */
export const least = (values: readonly number[]): number => Math.min(...values)

/** By how much each quarter of the time is above the one before: what levels off comes nearer to nothing, what leaks does not. */
export function growthByQuarter(values: readonly number[], standsFor: (values: readonly number[]) => number = mean): number[] {
  const size = values.length / 4
  if (size < 1) throw new Error(`quarters need at least 4 samples, there are ${values.length}`)
  const quarters = [0, 1, 2, 3].map((n) => standsFor(values.slice(Math.floor(n * size), Math.floor((n + 1) * size))))
  return quarters.slice(1).map((value, n) => value - (quarters[n] ?? value))
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const mean = (values: readonly number[]): number => sum(values) / values.length
