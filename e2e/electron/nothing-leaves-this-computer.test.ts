// The app in a network of its own, with a way out that leads nowhere: whatever it sends is counted by the kernel.

import { spawn } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { testElectron } from '../../scripts/electron.ts'
import { startBridge } from '../support/bridge.ts'
import { desktopEnv, rootArgs } from '../support/desktop.ts'
import { dist, freshHome } from '../support/host.ts'
import { startScreen, until, type Screen } from '../support/screen.ts'

let screen: Screen

beforeAll(async () => {
  screen = await startScreen()
})

afterAll(() => screen.close())

/** Every address leads to the loopback, where all that is sent is counted and nobody answers. */
const SETUP = ['ip link set lo up', 'ip addr add 10.99.99.1/32 dev lo', 'ip route add default dev lo', 'exec "$@"'].join('\n')

/** Root may have a network of its own; others get one together with a user namespace. */
const OWN_NETWORK = process.getuid?.() === 0 ? ['--net'] : ['--user', '--map-current-user', '--keep-caps', '--net']

async function startInside(command: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn('unshare', [...OWN_NETWORK, '--', 'sh', '-euc', SETUP, 'sh', ...command], { env, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const { pid = 0 } = child
  const network = (who: number | 'self') => readlinkSync(`/proc/${who}/ns/net`)
  await until('a network of its own', () => Promise.resolve(network(pid) !== network('self')))
  return pid
}

/** What the network of this process has been asked to send, whether it got anywhere or not. */
function sent(pid: number): { tcp: number; udp: number; ip: number } {
  const lines = readFileSync(`/proc/${pid}/net/snmp`, 'utf8').split('\n')
  const value = (protocol: string, name: string) => {
    const [names = '', values = ''] = lines.filter((line) => line.startsWith(`${protocol}:`))
    return Number(values.split(' ')[names.split(' ').indexOf(name)])
  }
  return { tcp: value('Tcp', 'ActiveOpens'), udp: value('Udp', 'OutDatagrams'), ip: value('Ip', 'OutRequests') }
}

test('a start, a question, an answer and an end send nothing at all', async () => {
  const home = freshHome()
  const pid = await startInside([testElectron(), ...rootArgs, path.join(dist, 'desktop.js')], desktopEnv({ home, screen }))
  await until(
    'the window',
    async () => (await screen.run('xdotool', 'search', '--onlyvisible', '--name', '^Countersign$').catch(() => '')) !== '',
  )
  // Not earlier: where nobody serves, a bridge starts a host of its own.
  const client = startBridge({ home })
  const answer = client.call('store_secret', { name: 'github/token', value: 'sentinel' })
  const find = () => screen.run('xdotool', 'search', '--onlyvisible', '--name', '^Countersign asks$').catch(() => '')
  await until('the prompt', async () => (await find()) !== '')
  const [prompt = ''] = (await find()).trim().split('\n')
  await screen.run('xdotool', 'windowactivate', '--sync', prompt)
  // Until the guard lets one through.
  let said = ''
  void answer.then((text) => (said = text))
  await until('the answer', async () => {
    if (said === '') await screen.run('xdotool', 'key', 'ctrl+Return')
    return said !== ''
  })
  expect(said).toBe("Stored secret 'github/token'")
  expect(sent(pid)).toEqual({ tcp: 0, udp: 0, ip: 0 })
})

test('what is sent there is counted: the test above looks where something could be', async () => {
  const code =
    "const s=require('node:dgram').createSocket('udp4');s.send('x',53,'10.99.99.2',()=>{setInterval(() => {}, 1000); require('node:net').connect(80,'10.99.99.2').on('error',()=>{})})"
  const pid = await startInside([process.execPath, '-e', code], process.env)
  await until('something to be counted', () => Promise.resolve(sent(pid).tcp > 0))
  expect(sent(pid)).toMatchObject({ tcp: 1, udp: 1 })
})
