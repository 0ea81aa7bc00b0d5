import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { FIXTURE_NAMES } from './conformance/fixtures/with-fixtures.ts'
import { dist } from './support/host.ts'

test('no program that we build knows the tools, prompts and resources of the conformance suite', async () => {
  const files = (await readdir(dist, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  expect(files.length).toBeGreaterThan(5)
  expect(FIXTURE_NAMES.length).toBeGreaterThan(30)
  const built = await Promise.all(files.map(async (file) => readFile(path.join(file.parentPath, file.name), 'latin1')))
  const words = [...FIXTURE_NAMES, 'withFixtures', 'conformance']
  expect(words.filter((word) => built.some((code) => code.includes(word)))).toEqual([])
})
