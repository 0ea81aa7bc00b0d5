// node scripts/fill-audit.ts [ROWS] [DAYS] [SEED]: fills the audit log in COUNTERSIGN_HOME with calls that never were, through the real log
// and with its real key, to see how everything looks when there is much of it. The host must not be running.

import path from 'node:path'
import { fill, movableClock } from '../bench/calls.ts'
import { openKeytarKeychain } from '../src-main/adapters/keytar-keychain.ts'
import { acquireLock } from '../src-main/adapters/lock.ts'
import { dataFolder, prepareFolder, serviceName } from '../src-main/adapters/paths.ts'
import { openAudit } from '../src-main/host/audit/audit.ts'
import { loadKeys } from '../src-main/host/keys.ts'

const DAY = 86_400_000
const rows = Number(process.argv[2] ?? 1_000_000)
const days = Number(process.argv[3] ?? 90)
const source = (file: string) => path.join(import.meta.dirname, '..', 'src-main', file)

if (!process.env['COUNTERSIGN_HOME']) throw new Error('Set COUNTERSIGN_HOME: made-up calls have no place in a log that somebody lives by.')
if (!(rows > 0 && days > 0)) throw new Error('ROWS and DAYS are numbers above 0.')
const folder = dataFolder(process.env)
prepareFolder(folder)
const lock = await acquireLock(folder)
if (lock === null) throw new Error('Countersign is running on this folder. Stop it first.')
const keychain = await openKeytarKeychain(
  { service: serviceName(process.env), helperPath: source('adapters/keychain-helper.ts') },
  { known: false },
)
const keys = await loadKeys(keychain, { known: false })
const clock = movableClock(Date.now() - days * DAY)
const audit = await openAudit({
  folder,
  chainKey: keys.chain,
  chainKeyIsNew: keys.chainIsNew,
  anchor: { read: () => keychain.get('audit-head'), write: (text) => keychain.set('audit-head', text) },
  clock,
  boot: 'fill',
  workerPath: source('host/audit/worker.ts'),
})
await fill({
  audit,
  clock,
  rows,
  spanMs: days * DAY,
  seed: Number(process.argv[4] ?? Date.now()),
  onProgress: (done) => process.stderr.write(`\r${done} of ${rows}`),
})
await audit.close()
await keychain.close()
lock.release()
process.stderr.write('\n')
