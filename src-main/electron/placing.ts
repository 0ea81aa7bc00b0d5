// Where windows go, as plain arithmetic.

export interface Point {
  x: number
  y: number
}
export interface Size {
  width: number
  height: number
}
export type Area = Point & Size

const EDGE = 24
/** A hand on its way to click something else must not land on an answer. */
const AWAY = 80

export function contains(area: Area, { x, y }: Point): boolean {
  return x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height
}

/** Whether a hand that rests or passes there could meet an answer of a prompt on this area. */
export const isNear = (pointer: Point, area: Area): boolean => distance(pointer, area) < AWAY

/** A corner of the display for the prompt: the first of the four that keeps clear of the pointer, else the farthest from it. */
export function placePrompt(pointer: Point, workArea: Area, size: Size): Point {
  const left = workArea.x + EDGE
  const top = workArea.y + EDGE
  const right = Math.max(left, workArea.x + workArea.width - size.width - EDGE)
  const bottom = Math.max(top, workArea.y + workArea.height - size.height - EDGE)
  const corners = [
    { x: right, y: top },
    { x: left, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ]
  const clear = corners.find((corner) => !isNear(pointer, { ...corner, ...size }))
  return (
    clear ??
    corners.reduce((best, corner) => (distance(pointer, { ...corner, ...size }) > distance(pointer, { ...best, ...size }) ? corner : best))
  )
}

/** From a point to the nearest edge of an area; 0 inside. */
function distance({ x, y }: Point, area: Area): number {
  const dx = Math.max(area.x - x, 0, x - (area.x + area.width))
  const dy = Math.max(area.y - y, 0, y - (area.y + area.height))
  return Math.hypot(dx, dy)
}

/** A remembered place, brought back onto a display that is there: the title bar has to be within reach. */
export function fitInto(wanted: Area, displays: readonly Area[]): Area | null {
  const reachable = displays.some(
    ({ x, y, width, height }) =>
      wanted.x < x + width - 100 && wanted.x + wanted.width > x + 100 && wanted.y >= y - 10 && wanted.y < y + height - 60,
  )
  return reachable ? wanted : null
}
