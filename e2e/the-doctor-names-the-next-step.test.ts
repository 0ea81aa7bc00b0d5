// `countersign doctor` against the built programs: well, without a host, with another keychain, and on the oldest Node.

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startKeyring } from '../src-main/adapters/test-keyring.ts'
import { cli, type CliResult } from './support/cli.ts'
import { openDesk } from './support/desk.ts'
import { freshHome } from './support/host.ts'
import { machineNode } from './support/machine-node.ts'

interface Report {
  ok: boolean
  checks: { check: string; level: string; text: string; next: string | null }[]
}
const reportOf = ({ stdout }: CliResult) => JSON.parse(stdout) as Report
const troubles = (result: CliResult) => reportOf(result).checks.filter(({ level }) => level === 'trouble')

const SENTINEL = 'sentinel-value-of-the-doctor'

test('all is well: every part says so, and no value is told', async () => {
  const person = freshHome()
  mkdirSync(path.join(person, '.cursor'))
  writeFileSync(path.join(person, '.cursor', 'mcp.json'), `{"mcpServers":{"other":{"env":{"TOKEN":"${SENTINEL}"}}}}`)
  const { home, someone, put } = await openDesk({ env: { HOME: person, XDG_CONFIG_HOME: '' } })
  await put({ token: SENTINEL })
  await someone.ask('registrations.add', { client: 'cursor', policy: 'default' })
  const spoken = await cli(home, ['doctor', '--full'])
  expect(spoken).toMatchObject({ code: 0, stderr: '' })
  for (const part of ['Node', 'Data folder', 'Socket', 'Host', 'Versions', 'Keychain', 'Log', 'Cursor'])
    expect(spoken.stdout).toMatch(new RegExp(`^✓ ${part}: `, 'm'))
  expect(spoken.stdout).toMatch(/^✓ Log: The log is intact: \d+ entries/m)
  expect(spoken.stdout).toMatch(/All is well\.\n$/)
  expect(spoken.stdout).not.toContain(SENTINEL)
  expect(reportOf(await cli(home, ['doctor', '--json']))).toMatchObject({ ok: true })

  // What goes wrong later is found, each with its own next step.
  rmSync(path.join(home, 'keys', 'cursor.key'))
  chmodSync(path.join(home, 'vault.db'), 0o644)
  const ill = await cli(home, ['doctor', '--json'])
  expect(ill.code).toBe(1)
  expect(troubles(ill)).toMatchObject([
    { check: 'Data folder', next: `Close it: chmod -R go-rwx '${home}'` },
    { check: 'Cursor', next: 'Restart Countersign: it puts the key back.' },
  ])
})

test('without a host it says so, looks at the keychain by itself, and starts nothing', async () => {
  const home = freshHome()
  const result = await cli(home, ['doctor', '--json'], { node: machineNode })
  expect(result.code).toBe(1)
  expect(troubles(result)).toMatchObject([{ check: 'Host', text: 'Countersign is not running.', next: 'Start it: countersign' }])
  expect(reportOf(result).checks).toContainEqual({ check: 'Keychain', level: 'ok', text: 'The OS keychain answers.', next: null })
  expect(await cli(home, ['status'])).toMatchObject({ code: 6 })
  expect((await cli(home, ['doctor'], { node: machineNode })).stdout).toContain('\n → Start it: countersign\n')
})

test.runIf(process.platform === 'linux')('a keychain that is gone or locked has its next step, also where no host runs', async () => {
  const keyring = await startKeyring()
  onTestFinished(keyring.stop)
  const { home, put, stop } = await openDesk({ env: keyring.env })
  await put({ token: SENTINEL })
  const doctor = () => cli(home, ['doctor', '--json'], { env: keyring.env })
  const keychain = async () => troubles(await doctor()).find(({ check }) => check === 'Keychain')

  await stop()
  expect(await keychain()).toBeUndefined()
  await keyring.lock()
  expect(await keychain()).toMatchObject({
    text: expect.stringMatching(/is locked/),
    next: expect.stringMatching(/^Unlock the login keyring/),
  })
  await keyring.kill()
  expect(await keychain()).toMatchObject({
    text: expect.stringMatching(/no keyring service is running/),
    next: expect.stringMatching(/^Start a keyring service/),
  })
})
