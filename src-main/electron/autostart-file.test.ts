import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { autostartFile } from './autostart-file.ts'

function freshHome(): string {
  const home = mkdtempSync(path.join(os.tmpdir(), 'countersign-autostart-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

test('switching it on leaves an entry for the session, switching it off takes it away', () => {
  const home = freshHome()
  const file = path.join(home, '.config', 'autostart', 'countersign.desktop')
  const autostart = autostartFile({}, home, ['/opt/Countersign/countersign', '--hidden'])
  expect(autostart.isOn()).toBe(false)
  autostart.set(true)
  expect(autostart.isOn()).toBe(true)
  expect(readFileSync(file, 'utf8')).toContain('\nExec="/opt/Countersign/countersign" "--hidden"\n')
  autostart.set(false)
  autostart.set(false)
  expect(existsSync(file)).toBe(false)
})

test('an entry that the desktop has switched off counts as off', () => {
  const home = freshHome()
  const autostart = autostartFile({ XDG_CONFIG_HOME: home }, '/nowhere', ['countersign'])
  autostart.set(true)
  const file = path.join(home, 'autostart', 'countersign.desktop')
  const entry = readFileSync(file, 'utf8')
  writeFileSync(file, `${entry}Hidden=true\n`)
  expect(autostart.isOn()).toBe(false)
  writeFileSync(file, entry.replace('enabled=true', 'enabled=false'))
  expect(autostart.isOn()).toBe(false)
})

test('a program in an oddly named folder is quoted as the desktop entry specification asks', () => {
  const home = freshHome()
  autostartFile({ XDG_CONFIG_HOME: home }, home, ['/opt/My "$HOME" 100%/a\\b`c']).set(true)
  const entry = readFileSync(path.join(home, 'autostart', 'countersign.desktop'), 'utf8')
  expect(entry).toContain('Exec="/opt/My \\\\"\\\\$HOME\\\\" 100%%/a\\\\\\\\b\\\\`c"\n')
})
