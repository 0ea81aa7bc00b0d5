// Every name ever used with a digest of its rows, signed as one list. Each row has a MAC of its own, which an older row has too: the
// list is what finds rows that were put back, and names that are gone. Its generation and MAC are remembered in the keychain.

import { timingSafeEqual } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { macOf, subkey } from '../keys.ts'
import { dataVersion, type RootMark } from '../rows.ts'
import { inTransaction } from '../store.ts'

/** What was signed about a name: `present` is false once its secret was removed. */
interface Signed {
  digest: string
  counter: number
  present: boolean
}

export interface SecretsRoot {
  /** Generation 0 and no MAC: never signed, or not by us. */
  readonly mark: RootMark
  readonly state: 'ours' | 'none' | 'not ours'
  signed: () => ReadonlyMap<string, Signed>
  /** The rows of this name are the ones that were signed last. */
  isAsSigned: (name: string) => boolean
  /** Looks again when another connection wrote to the file: names whose rows are not as they were signed. */
  recheck: () => string[]
  /** One transaction: what `work` changes about the rows of this name, and the list signed anew. */
  change: (name: string, work: () => void) => void
  /** Signs everything as it is: a first start, a database from before there was a list, or a person's decision. */
  accept: () => void
  /** Tries to bring the newest mark to the keychain; whether it is there. */
  marked: () => Promise<boolean>
}

export interface SecretsRootOptions {
  /** Generation that is remembered outside; later ones count on from there. */
  floor?: number
  onRoot?: (mark: RootMark) => void
  marked?: () => Promise<boolean>
}

const FINISHED = "state IN ('live', 'former')"

/** Values on their way in or out are left out: they come and go without anything being stored or removed. */
export function openSecretsRoot(db: DatabaseSync, rowKey: Buffer, options: SecretsRootOptions = {}): SecretsRoot {
  const { floor = 0, onRoot = () => {}, marked = async () => true } = options
  const key = subkey(rowKey, 'secrets root v1')
  const rootMac = (generation: number, list: string) => macOf(key, ['root', generation, list]).toString('hex')
  const digestOf = (name: string, secret: string | null, versions: readonly string[]) =>
    macOf(key, ['name', name, secret, ...versions])
      .toString('base64url')
      .slice(0, 22)

  const secretOf = db.prepare('SELECT counter, created, mac FROM secrets WHERE name = ?')
  const versionsOf = db.prepare(`SELECT mac FROM versions WHERE name = ? AND ${FINISHED} ORDER BY id`)
  const write = db.prepare(
    'INSERT INTO secrets_root VALUES (1, ?, ?, ?) ON CONFLICT DO UPDATE SET generation = excluded.generation, list = excluded.list, mac = excluded.mac',
  )

  /** As the tables have it now; null when they have nothing. */
  const found = (name: string): Signed | null => {
    const secret = secretOf.get(name)
    const versions = versionsOf.all(name).map(({ mac }) => String(mac))
    if (secret === undefined && versions.length === 0) return null
    const digest = digestOf(name, secret === undefined ? null : String(secret['mac']), versions)
    return { digest, counter: Number(secret?.['counter'] ?? 0), present: secret?.['created'] !== null }
  }

  const isAsSigned = (name: string): boolean => {
    const [now, was] = [found(name), list.get(name)]
    return now !== null && was !== undefined && now.digest === was.digest
  }
  const namesIn = () =>
    db
      .prepare(`SELECT name FROM secrets UNION SELECT name FROM versions WHERE ${FINISHED}`)
      .all()
      .map(({ name }) => String(name))

  let seen = dataVersion(db)
  const read = readRoot(db, rootMac)
  let list = read.list
  let mark = read.mark

  const sign = (next: Map<string, Signed>): RootMark => {
    const generation = Math.max(mark.generation, floor) + 1
    const text = JSON.stringify(Array.from(next, ([name, { digest, counter, present }]) => [name, digest, counter, Number(present)]))
    const mac = rootMac(generation, text)
    write.run(generation, text, mac)
    return { generation, mac }
  }
  /** Memory follows only when it is on disk. */
  const commit = (work: () => Map<string, Signed>): void => {
    const done = inTransaction(db, () => {
      const next = work()
      return { next, mark: sign(next) }
    })
    list = done.next
    mark = done.mark
    onRoot(mark)
  }

  return {
    get mark() {
      return mark
    },
    state: read.state,
    signed: () => list,
    isAsSigned,
    recheck: () => {
      const now = dataVersion(db)
      if (now === seen) return []
      seen = now
      return [...new Set([...list.keys(), ...namesIn()])].filter((name) => !isAsSigned(name))
    },
    change: (name, work) =>
      commit(() => {
        work()
        const now = found(name)
        const next = new Map(list)
        if (now === null) next.delete(name)
        else next.set(name, now)
        return next
      }),
    accept: () => commit(() => new Map(namesIn().flatMap((name) => pairOf(name, found(name))))),
    marked,
  }
}

function pairOf(name: string, signed: Signed | null): [string, Signed][] {
  return signed === null ? [] : [[name, signed]]
}

function readRoot(
  db: DatabaseSync,
  macFor: (generation: number, list: string) => string,
): { state: SecretsRoot['state']; list: Map<string, Signed>; mark: RootMark } {
  const nothing = { list: new Map<string, Signed>(), mark: { generation: 0, mac: '' } }
  const root = db.prepare('SELECT generation, list, mac FROM secrets_root').get()
  if (root === undefined) return { state: 'none', ...nothing }
  const [generation, text, mac] = [Number(root['generation']), String(root['list']), Buffer.from(String(root['mac']))]
  const expected = Buffer.from(macFor(generation, text))
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) return { state: 'not ours', ...nothing }
  // The MAC says that we wrote it, so its shape is ours.
  const entries = JSON.parse(text) as [string, string, number, number][]
  const list = new Map(entries.map(([name, digest, counter, present]) => [name, { digest, counter, present: present === 1 }]))
  return { state: 'ours', list, mark: { generation, mac: expected.toString() } }
}
