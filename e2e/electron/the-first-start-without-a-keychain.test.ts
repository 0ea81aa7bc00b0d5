// As a plain user on a desktop without a keychain. Chromium's sandbox works only for such a user, so this is also where it is seen.

import { spawn } from 'node:child_process'
import { chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { testElectron } from '../../scripts/electron.ts'
import { startDesktop, type Desktop } from '../support/desktop.ts'
import { dist, freshHome } from '../support/host.ts'
import { asPlainUser, plainUser } from '../support/plain-user.ts'
import { pictures, startScreen, until, type Screen } from '../support/screen.ts'

let screen: Screen

beforeAll(async () => {
  screen = await startScreen()
})

afterAll(() => screen.close())

function plainHome(): string {
  const home = freshHome()
  if (plainUser !== null) chownSync(home, plainUser.uid, plainUser.gid)
  return home
}

/** Nothing of the tests' own bus and keyring. */
function bare(home: string): NodeJS.ProcessEnv {
  const ours = Object.keys(process.env).filter((name) => /^(DBUS|XDG|KEYRING|GNOME)_/.test(name))
  return { HOME: home, TMPDIR: '/tmp', ...Object.fromEntries(ours.map((name) => [name, undefined])) }
}

async function openDesk(home: string): Promise<Desktop> {
  const program = path.join(home, 'electron-as-nobody')
  const words = [...asPlainUser(), testElectron()].map((word) => `'${word}'`).join(' ')
  writeFileSync(program, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 })
  const desktop = await startDesktop({ home, screen, program, env: bare(home) })
  onTestFinished(() => desktop.kill())
  return desktop
}

/** The names a client gets, or the sentence it gets instead. */
const names = (home: string) =>
  new Promise<string>((resolve) => {
    const env = { ...process.env, ...bare(home), COUNTERSIGN_HOME: home }
    const [command, ...args] = [...asPlainUser(), process.execPath, path.join(dist, 'bridge.js')]
    const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
    createInterface({ input: child.stdout }).once('line', (line) => {
      child.kill()
      resolve(line)
    })
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_secrets","arguments":{}}}\n')
  })

/** Every process below `pid`, with its command line and what the kernel says of it. */
function processesBelow(pid: number): { command: string; status: string }[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [
          {
            pid: Number(name),
            command: readFileSync(`/proc/${name}/cmdline`, 'utf8'),
            status: readFileSync(`/proc/${name}/status`, 'utf8'),
          },
        ]
      } catch {
        return [] // Gone meanwhile.
      }
    })
  const parentOf = ({ status }: { status: string }) => Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1])
  const below = new Set([pid])
  for (let size = 0; size !== below.size;) {
    size = below.size
    for (const process of all) if (below.has(parentOf(process))) below.add(process.pid)
  }
  return all.filter((process) => below.has(process.pid))
}

test('the window asks for a passphrase and makes a sealed vault; the next start asks for it again', async () => {
  const home = plainHome()
  const first = await openDesk(home)
  await first.main.getByLabel('Passphrase', { exact: true }).fill('correct horse battery')
  await screen.shoot(pictures('first-start'))
  await first.main.getByLabel('Passphrase again').fill('correct horse battery')
  await first.main.keyboard.press('Enter')
  await until('the vault to open', async () => (await first.ask('status')).state === 'open')
  expect(await first.ask('status')).toMatchObject({ store: 'sealed' })
  expect(await names(home)).toContain('"[]"')
  // The first start leads to the welcome.
  expect(first.main.url()).toContain('#/welcome')
  await first.quit()

  const second = await openDesk(home)
  expect(await names(home)).toContain('The keychain is locked')
  const field = second.main.getByLabel('Passphrase', { exact: true })
  await field.fill('wrong horse battery')
  await second.main.keyboard.press('Enter')
  await second.main.getByRole('alert').getByText('That is not the passphrase').waitFor()
  await field.fill('correct horse battery')
  await second.main.keyboard.press('Enter')
  await until('the vault to open', async () => (await second.ask('status')).state === 'open')
})

test('every page of a plain user runs in the sandbox, whatever the switches say', async () => {
  const home = plainHome()
  const program = path.join(home, 'electron-as-nobody')
  const desktop = await openDesk(home)
  const pid = desktop.app.process().pid ?? 0
  const pages = () => processesBelow(pid).filter(({ command }) => command.includes('--type=renderer'))
  expect(pages().length).toBeGreaterThanOrEqual(2)
  for (const { status } of pages()) expect(status).toMatch(/^Seccomp:\s+2$/m)
  await desktop.quit()

  const asked = await startDesktop({ home, screen, program, args: ['--no-sandbox'], env: bare(home) })
  onTestFinished(() => asked.kill())
  const all = processesBelow(asked.app.process().pid ?? 0).filter(({ command }) => command.includes('--type=renderer'))
  expect(all.length).toBeGreaterThanOrEqual(2)
  for (const { status } of all) expect(status).toMatch(/^Seccomp:\s+2$/m)
})
