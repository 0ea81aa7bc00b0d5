// The icons of the packages in all sizes, drawn from the one source that the tray and the windows use too. No files are kept:
// `npm run icons` draws them into .scratch/package/icons, and so does every `npm run dist`.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { drawAppIcon } from '../src-main/electron/icon.ts'

const LINUX = [16, 24, 32, 48, 64, 128, 256, 512]
const WINDOWS = [16, 24, 32, 48, 64, 128, 256]
/** Apple's names for a PNG of each size; those with @2x are sizes of their own. */
const MAC: readonly (readonly [string, number])[] = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
  ['ic10', 1024],
  ['ic11', 32],
  ['ic12', 64],
  ['ic13', 256],
  ['ic14', 512],
]

export function drawIcons(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const drawn = new Map([...LINUX, 1024].map((size) => [size, drawAppIcon(size)]))
  const ofSize = (size: number) => drawn.get(size) ?? drawAppIcon(size)
  for (const size of LINUX) writeFileSync(path.join(folder, `${size}x${size}.png`), ofSize(size))
  writeFileSync(path.join(folder, 'icon.ico'), windowsIcon(WINDOWS.map((size) => ({ size, png: ofSize(size) }))))
  writeFileSync(path.join(folder, 'icon.icns'), macIcon(MAC.map(([name, size]) => ({ name, png: ofSize(size) }))))
}

/** Six bytes of heading, sixteen for each picture, then the pictures as PNG. */
function windowsIcon(pictures: { size: number; png: Buffer }[]): Buffer {
  const heading = Buffer.alloc(6)
  heading.writeUInt16LE(1, 2)
  heading.writeUInt16LE(pictures.length, 4)
  let offset = 6 + 16 * pictures.length
  const entries = pictures.map(({ size, png }) => {
    const entry = Buffer.alloc(16)
    // 256 does not fit a byte, and is written as 0.
    entry.set([size % 256, size % 256])
    entry.writeUInt16LE(1, 4)
    entry.writeUInt16LE(32, 6)
    entry.writeUInt32LE(png.length, 8)
    entry.writeUInt32LE(offset, 12)
    offset += png.length
    return entry
  })
  return Buffer.concat([heading, ...entries, ...pictures.map(({ png }) => png)])
}

function macIcon(pictures: { name: string; png: Buffer }[]): Buffer {
  const block = (name: string, content: Buffer): Buffer => {
    const heading = Buffer.alloc(8)
    heading.write(name, 'latin1')
    heading.writeUInt32BE(8 + content.length, 4)
    return Buffer.concat([heading, content])
  }
  return block('icns', Buffer.concat(pictures.map(({ name, png }) => block(name, png))))
}

if (import.meta.main) drawIcons(path.join(import.meta.dirname, '..', '.scratch', 'package', 'icons'))
