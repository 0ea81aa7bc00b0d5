// The sign of the house, drawn from its geometry: a seal with a tick, and what the tray adds to it. Any size, one colour, no files.

import { crc32, deflateSync } from 'node:zlib'

/** `dot`: somebody waits. `slash`: paused. `bang`: the keychain is in trouble. */
export type Shape = 'idle' | 'dot' | 'slash' | 'bang'

export interface Ink {
  /** Red, green, blue, 0 to 255. */
  colour: readonly [number, number, number]
  /** A thin edge of the opposite lightness, for panels whose colour nobody tells us. */
  edge: boolean
}

/** All geometry is on a grid of 24. */
const GRID = 24
const STROKE = 2.4
const EDGE_STRENGTH = 0.75

/** Signed distance on the grid: negative inside. */
type Distance = (x: number, y: number) => number

export function drawIcon(shape: Shape, size: number, { colour, edge }: Ink): Buffer {
  const edgeColour = colour.map((part) => 255 - part)
  return paint(size, (awayFrom) => {
    const away = awayFrom(SHAPES[shape])
    const ink = cover(away)
    const alpha = edge ? Math.max(ink, cover(away - 1) * EDGE_STRENGTH) : ink
    return { colour: mix(colour, edgeColour, alpha === 0 ? 0 : ink / alpha), alpha }
  })
}

/** The app's own icon, of windows, docks and menus: the seal as a tile, and the tick on it. */
export function drawAppIcon(size: number): Buffer {
  return paint(size, (awayFrom) => ({ colour: mix(WHITE, BLUE, cover(awayFrom(boldTick))), alpha: cover(awayFrom(tile)) }))
}

type Colour = readonly number[]

const BLUE: Colour = [74, 99, 201]
const WHITE: Colour = [255, 255, 255]

/** Asks for the colour of each pixel, which may ask how many pixels it is away from a shape. */
function paint(size: number, pixel: (awayFrom: (shape: Distance) => number) => { colour: Colour; alpha: number }): Buffer {
  const scale = size / GRID
  const pixels = Buffer.alloc(size * size * 4)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const { colour, alpha } = pixel((shape) => shape((column + 0.5) / scale, (row + 0.5) / scale) * scale)
      pixels.set([...colour, Math.round(alpha * 255)], (row * size + column) * 4)
    }
  }
  return png(pixels, size)
}

function mix(one: Colour, other: Colour, share: number): Colour {
  return one.map((part, index) => Math.round(part * share + (other[index] ?? 0) * (1 - share)))
}

/** How much of a pixel lies inside, by its distance in pixels. */
const cover = (away: number): number => Math.min(1, Math.max(0, 0.5 - away))

const seal: Distance = (x, y) => Math.abs(roundedSquare(x - 12, y - 12, 9, 5)) - STROKE / 2
const tile: Distance = (x, y) => roundedSquare(x - 12, y - 12, 10.8, 6)
const TICK = [
  [8, 12.4],
  [10.8, 15.2],
  [16.2, 9],
] as const
const tick = stroke(TICK)
/** Larger from its middle, and broader. */
const boldTick = stroke(
  TICK.map(([x, y]) => [12 + (x - 12.1) * 1.25, 12 + (y - 12.1) * 1.25]),
  STROKE * 0.62,
)
const exclamation = union(
  stroke([
    [12, 7.4],
    [12, 12.8],
  ]),
  disc(12, 16.6, 1.6),
)

const SHAPES: Record<Shape, Distance> = {
  idle: union(seal, tick),
  dot: union(without(union(seal, tick), disc(19, 5, 6.6)), disc(19, 5, 4.6)),
  slash: union(
    without(
      seal,
      stroke(
        [
          [1, 23],
          [23, 1],
        ],
        3.4,
      ),
    ),
    stroke([
      [2.2, 21.8],
      [21.8, 2.2],
    ]),
  ),
  bang: union(seal, exclamation),
}

function union(...parts: Distance[]): Distance {
  return (x, y) => Math.min(...parts.map((part) => part(x, y)))
}

function without(shape: Distance, hole: Distance): Distance {
  return (x, y) => Math.max(shape(x, y), -hole(x, y))
}

function disc(cx: number, cy: number, radius: number): Distance {
  return (x, y) => Math.hypot(x - cx, y - cy) - radius
}

type Corner = readonly [number, number]

function stroke(corners: readonly Corner[], halfWidth = STROKE / 2): Distance {
  const segments = corners.slice(1).map((to, index) => [corners[index] ?? to, to] as const)
  return (x, y) => Math.min(...segments.map(([from, to]) => toSegment(x, y, from, to))) - halfWidth
}

function toSegment(x: number, y: number, [ax, ay]: Corner, [bx, by]: Corner): number {
  const along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
  const part = Math.min(1, Math.max(0, along))
  return Math.hypot(x - ax - part * (bx - ax), y - ay - part * (by - ay))
}

function roundedSquare(x: number, y: number, half: number, radius: number): number {
  const dx = Math.abs(x) - half + radius
  const dy = Math.abs(y) - half + radius
  return Math.min(Math.max(dx, dy), 0) + Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) - radius
}

/** The pixels as a PNG file: eight bits of red, green, blue and alpha. */
function png(pixels: Buffer, size: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const rows = Array.from({ length: size }, (_, row) => [Buffer.from([0]), pixels.subarray(row * size * 4, (row + 1) * size * 4)])
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
