import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { dist } from './support/host.ts'

const renderer = path.join(dist, 'renderer')

/** All code and styles that a page loads before it shows anything, compressed as a server would. */
function weigh(page: string): { files: string[]; bytes: number } {
  const html = readFileSync(path.join(renderer, page), 'utf8')
  const files = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, file = '']) => file)
  return { files, bytes: files.reduce((sum, file) => sum + gzipSync(readFileSync(path.join(renderer, file))).byteLength, 0) }
}

test.each([
  ['index.html', 150_000],
  ['prompt.html', 80_000],
])('%s weighs at most %i bytes, compressed', (page, most) => {
  const { files, bytes } = weigh(page)
  expect(files.some((file) => file.endsWith('.js'))).toBe(true)
  expect(bytes).toBeLessThanOrEqual(most)
})
