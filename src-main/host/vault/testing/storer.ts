// Stores and removes without end until it is killed. Says before each step what it is about to do and afterwards that it is done.
// usage: storer.ts <folder> <keychain service> <keychain helper> <seed> [<fault point> <how many times it is passed>]

import { openKeytarKeychain } from '../../../adapters/keytar-keychain.ts'
import { systemClock } from '../../../adapters/clock.ts'
import { openVaultFile } from '../open.ts'
import { openVault } from '../vault.ts'

const [folder = '', service = '', helperPath = '', seed = '1', fault = '', passes = '0'] = process.argv.slice(2)

let left = Number(passes)
const faultPoint = (name: string) => {
  if (name === fault && left-- <= 0) process.kill(process.pid, 'SIGKILL')
}
let state = Number(seed)
const random = (below: number) => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor((state / 2_147_483_648) * below)
}
const say = (step: object) => process.stdout.write(`${JSON.stringify(step)}\n`)

const keychain = await openKeytarKeychain({ service, helperPath }, { known: true })
const { db, keys, root } = await openVaultFile({ folder, keychain })
const vault = await openVault({ db, root, keychain, keys, clock: systemClock, faultPoint })
for (let n = 0; ; n++) {
  const name = ['a', 'b', 'c/d'][random(3)] ?? ''
  const expect = vault.info(name)?.version ?? null
  const version = vault.nextVersion(name)
  if (expect !== null && random(4) === 0) {
    say({ name, value: null, version })
    await vault.remove(name, expect)
  } else {
    const value = `${seed} ${n} ${'x'.repeat(random(5) === 0 ? 3000 : 20)}`
    say({ name, value, version })
    await vault.store({ name, value, by: 'storer', expect })
  }
  say({ done: true })
}
