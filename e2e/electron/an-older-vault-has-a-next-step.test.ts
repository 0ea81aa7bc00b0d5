// An older vault.db under the desktop app: the window says what it lost, and the person may go on with it.

import { copyFileSync, existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startDesktop } from '../support/desktop.ts'
import { freshHome, startHost } from '../support/host.ts'
import { startScreen, until, type Screen } from '../support/screen.ts'

let screen: Screen

beforeAll(async () => {
  screen = await startScreen()
})

afterAll(() => screen.close())

test('the window names what an older vault lost, and goes on with it when the person says so', async () => {
  const home = freshHome()
  const vault = path.join(home, 'vault.db')
  for (const name of ['kept', 'lost']) {
    const host = await startHost({ home })
    const person = await host.person()
    await person.ask('secrets.store', { name, value: 'v' })
    await host.stop()
    if (name === 'kept') copyFileSync(vault, path.join(home, 'older'))
  }
  for (const beside of ['', '-wal', '-shm']) rmSync(`${vault}${beside}`, { force: true })
  copyFileSync(path.join(home, 'older'), vault)

  const { main, ask, kill } = await startDesktop({ home, screen })
  onTestFinished(() => kill())
  await main.getByRole('heading', { name: 'The vault database is not the newest' }).waitFor()
  await main.getByText("vault.db is an older copy of itself. The log knows of secrets that are missing from it: 'lost'.").waitFor()
  await main.getByRole('button', { name: 'Go on with this one' }).click()
  await until('the vault to open', async () => (await ask('status')).state === 'open')
  expect((await ask('secrets.list')).map(({ name }) => name)).toEqual(['kept'])
  expect(existsSync(path.join(home, 'vault-damaged-1.db'))).toBe(true)
})
