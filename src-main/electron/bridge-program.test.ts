import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { executableIn } from '../adapters/packaged.ts'
import { bridgeProgram } from './bridge-program.ts'

let base: string
let resources: string
let folder: string

beforeEach(() => {
  base = mkdtempSync(path.join(os.tmpdir(), 'bridge-program-'))
  resources = path.join(base, 'resources')
  folder = path.join(base, 'home')
  mkdirSync(folder)
  install('first')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function install(content: string): void {
  const file = executableIn(resources)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, content)
  chmodSync(file, 0o755)
}

const inAppImage = () => bridgeProgram({ resources, folder, platform: 'linux', appImage: '/home/a/Countersign.AppImage' })

test('an app that lies in one place names the executable in it', () => {
  expect(bridgeProgram({ resources, folder, platform: 'linux', appImage: undefined })).toBe(executableIn(resources))
})

test('an AppImage is gone when it ends, so a copy that nobody else can use is kept in our folder', () => {
  const kept = inAppImage()
  expect(kept).toBe(path.join(folder, 'bin', 'countersign'))
  expect(readFileSync(kept, 'utf8')).toBe('first')
  expect(statSync(kept).mode & 0o777).toBe(0o700)
})

test('the copy is made anew after an update, under the same path, and only then', () => {
  const kept = inAppImage()
  const { ino } = statSync(kept)
  expect(inAppImage()).toBe(kept)
  expect(statSync(kept).ino).toBe(ino)
  install('the second')
  expect(inAppImage()).toBe(kept)
  expect(readFileSync(kept, 'utf8')).toBe('the second')
})

test('so it is on a Mac for an app that nobody has moved out of its download yet', () => {
  resources = path.join(base, 'AppTranslocation', 'x', 'Countersign.app', 'Contents', 'Resources')
  install('passing')
  const kept = bridgeProgram({ resources, folder, platform: 'darwin', appImage: undefined })
  expect(kept.startsWith(folder)).toBe(true)
  expect(readFileSync(kept, 'utf8')).toBe('passing')
})
