// A real dpkg installs, removes and purges the real deb, in a view of the disk of its own: what it writes goes into layers that are
// gone with the test, and this machine is left as it was.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { debFile, installed } from '../../scripts/packaged.ts'

/** What a package may touch. */
const LAYERED = ['etc', 'opt', 'usr', 'var']
const OWN_DISK = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount']

/** Runs a script as root of a machine that is like this one, and ends with it. */
async function onAMachine(script: string, env: NodeJS.ProcessEnv): Promise<{ stdout: string; stderr: string }> {
  const layers = mkdtempSync(path.join(installed, '..', 'layers-'))
  onTestFinished(() => rmdirSync(layers))
  // In memory, because not every disk can be a layer.
  const setUp = [
    `mount -t tmpfs tmpfs '${layers}'`,
    `cd '${layers}'`,
    ...LAYERED.flatMap((name) => [
      `mkdir ${name} ${name}-work`,
      `mount -t overlay overlay -o lowerdir=/${name},upperdir=$PWD/${name},workdir=$PWD/${name}-work /${name}`,
    ]),
    'cd /',
  ]
  return promisify(execFile)('unshare', [...OWN_DISK, '--', 'sh', '-euc', [...setUp, script].join('\n')], { env, maxBuffer: 16 << 20 })
}

const FACTS = `
countersign --version
readlink /usr/bin/countersign
stat -c '%U %a' /opt/Countersign/countersign /opt/Countersign/resources/bin/countersign
stat -c %a /opt/Countersign/chrome-sandbox
cat /usr/share/applications/countersign.desktop
ls /usr/share/icons/hicolor/*/apps/countersign.png
`

test('dpkg installs it where people and AI clients look for it, and purging leaves nothing but what is the person’s', async () => {
  const home = mkdtempSync(path.join(installed, '..', 'home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(path.join(home, '.local/share/countersign'), { recursive: true })
  writeFileSync(path.join(home, '.local/share/countersign/vault.db'), 'theirs')
  const { stdout } = await onAMachine(
    `
    dpkg --install '${debFile()}' >&2
    echo "--- facts"${FACTS}
    echo "--- again"
    dpkg --install '${debFile()}' >&2
    countersign --version
    echo "--- remove"
    dpkg --remove countersign
    echo "--- left"
    ls -d /opt/Countersign /usr/bin/countersign /usr/share/applications/countersign.desktop 2>&1 || true
    dpkg --purge countersign >&2
    dpkg --status countersign 2>&1 || true
    `,
    { ...process.env, HOME: home, PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
  )
  const part = (name: string) => stdout.split(`--- ${name}\n`)[1]?.split('\n--- ')[0] ?? ''
  expect(part('facts')).toMatch(/^0\.\d+\.\d+\n\/opt\/Countersign\/resources\/bin\/countersign\nroot 755\nroot 755\n4?755\n/)
  expect(part('facts')).toMatch(/^Exec=\/opt\/Countersign\/countersign %U$/m)
  expect(part('facts')).toMatch(/^Icon=countersign$/m)
  expect(part('facts')).toMatch(/^StartupWMClass=countersign$/m)
  expect(part('facts')).toMatch(/^MimeType=x-scheme-handler\/countersign;$/m)
  expect(part('facts').match(/hicolor\/(\d+x\d+)\/apps/g)).toHaveLength(8)
  expect(part('again')).toMatch(/^0\.\d+\.\d+$/)
  expect(part('remove')).toContain('Your secrets, policies and log stay where they are')
  expect(part('remove')).toContain('countersign clients remove --all')
  expect(part('left').match(/No such file or directory/g)).toHaveLength(3)
  expect(part('left')).toContain("package 'countersign' is not installed")
  expect(readFileSync(path.join(home, '.local/share/countersign/vault.db'), 'utf8')).toBe('theirs')
  // This machine has seen nothing of it.
  expect(existsSync('/opt/Countersign/resources/bin')).toBe(false)
})

test('every library that its programs are linked with is there once its Depends are', async () => {
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    `cd '${installed}/opt/Countersign' && ldd countersign resources/bin/countersign resources/app.asar.unpacked/node_modules/keytar/build/Release/keytar.node`,
  ])
  expect(stdout).toContain('libsecret-1.so.0')
  expect(stdout).not.toContain('not found')
})
