// Registration as a state that is kept true: a key of its own for each AI client, our entry in its files, and an eye on both.

import type {
  ConfigBackup,
  PlaintextFinding,
  RegistrationFile,
  RegistrationInfo,
  RegistrationState,
} from '../../src-shared/registration.ts'
import { AuditError } from '../host/audit/audit.ts'
import { Refusal } from '../host/errors.ts'
import { subkey } from '../host/keys.ts'
import type { OpenRegistrations, RegistrationHooks, Registrations } from '../host/registrations.ts'
import { openBackups } from './backups.ts'
import { openToOthers, readConfig } from './config-file.ts'
import type { Wish } from './edit.ts'
import { CLIENTS, factsOf, type ClientFacts, type Launch } from './facts.ts'
import { Fault } from './formats/document.ts'
import { createKeeper } from './keeper.ts'
import { openLedger } from './ledger.ts'
import { installLink } from './links.ts'
import { lookAt, previewOf, removalOf, type Remembered } from './look.ts'
import { filesOf, type Surroundings } from './places.ts'
import { createRecordedEdits } from './recorded-edit.ts'
import { runningPrograms } from './running.ts'
import { scanFile } from './scan.ts'
import { tryLaunch } from './trial.ts'
import { watchFiles } from './watch.ts'

export interface RegistrationsOptions {
  around: Surroundings
  /** How a client starts our bridge, null being one without a registration; throws a Refusal where there is no way. */
  launch: (client: string | null) => Launch
}

const BACKUPS_ROW = 'config-backups'

export function registrationsWith(options: RegistrationsOptions): OpenRegistrations {
  return (hooks) => openRegistrations(hooks, options)
}

function openRegistrations(hooks: RegistrationHooks, { around, launch }: RegistrationsOptions): Registrations {
  const { clock, clients } = hooks
  const ledger = openLedger(hooks)
  const backups = openBackups({
    folder: hooks.folder,
    key: subkey(hooks.key, 'config backups v1'),
    now: clock.now,
    index: {
      // The row is signed, so its shape is ours.
      read: () => (hooks.ledger.get(BACKUPS_ROW) as ConfigBackup[] | null) ?? [],
      write: (list) => hooks.ledger.put(BACKUPS_ROW, list),
    },
  })
  const { rehearse, edit } = createRecordedEdits(ledger, backups)
  const keeper = createKeeper(clock)
  const watch = watchFiles(clock, (file) => attendSoon(file))
  let turn: Promise<unknown> = Promise.resolve()
  let closed = false

  /** One act at a time: two edits of one file by ourselves would be one too many writers. */
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const result = turn.then(act)
    turn = result.catch(() => {})
    return result
  }

  const known = (id: string): ClientFacts => {
    const facts = factsOf(id)
    if (facts === null) throw new Refusal(`'${id}' is no AI client that Countersign knows`, 'not found')
    return facts
  }
  const present = (facts: ClientFacts): string[] => {
    const files = filesOf(facts, around)
    if (files.length === 0) throw new Refusal(`${facts.name} is not on this computer`, 'not found')
    return files
  }
  /** Where it is, and where it was when we wrote. */
  const touched = (facts: ClientFacts): string[] => [
    ...new Set([...filesOf(facts, around), ...(ledger.get(facts.id)?.files ?? []).map(({ path }) => path)]),
  ]

  const follow = (): void => watch.follow(ledger.all().flatMap(({ files }) => files.map(({ path }) => path)))

  /** An entry leads somewhere only while its key is good. One that we did not write ourselves came by an install link. */
  const rememberedOf = (facts: ClientFacts, file: string): Remembered =>
    !hasKey(facts) ? 'nothing' : ledger.file(facts.id, file) === null ? 'client' : 'entry'
  const hasKey = ({ id }: ClientFacts): boolean => {
    const client = clients.get(id)
    return client !== null && client.via !== 'http'
  }

  const infoOf = (facts: ClientFacts, running: ReadonlySet<string> | null): RegistrationInfo => {
    const files = filesOf(facts, around).map((file) => lookAt(facts, file, launch(facts.id), rememberedOf(facts, file)))
    return {
      id: facts.id,
      name: facts.name,
      state: stateOf(files),
      files,
      policy: clients.get(facts.id)?.policy ?? null,
      command: [launch(facts.id).command, ...launch(facts.id).args],
      after: facts.after,
      running: running === null || facts.programs === undefined ? null : facts.programs.some((program) => running.has(program)),
      forgetful: facts.forgetful ?? false,
      givenUp: keeper.hasGivenUp(facts.id),
      // Without a registration its name would lead nowhere.
      installLink: installLink(facts, launch(hasKey(facts) ? facts.id : null)),
      backups: backups.list(facts.id),
    }
  }
  const info = async (facts: ClientFacts): Promise<RegistrationInfo> => infoOf(facts, await runningPrograms())

  const put = async (facts: ClientFacts, files: readonly string[]): Promise<RegistrationInfo> => {
    const wish: Wish = { is: 'set', entry: facts.entry(launch(facts.id)) }
    keeper.begin(facts.id)
    for (const file of files) await edit(facts, file, wish)
    return done(facts)
  }

  const done = (facts: ClientFacts): Promise<RegistrationInfo> => {
    follow()
    hooks.changed()
    return info(facts)
  }

  const attendSoon = (file: string): void => {
    inTurn(() => attend(file)).catch((error: unknown) => {
      // What cannot be recorded is not done; the next look tries again.
      if (!(error instanceof AuditError)) hooks.reportBug(error)
    })
  }

  /** A file we look after may have changed. */
  const attend = async (file: string): Promise<void> => {
    const owner = ledger.all().find(({ files }) => files.some(({ path }) => path === file))
    const facts = owner === undefined || closed ? null : factsOf(owner.client)
    if (facts === null) return
    hooks.changed()
    // A client that was removed from this computer, or revoked here, keeps no entry.
    if (!filesOf(facts, around).includes(file) || rememberedOf(facts, file) !== 'entry') return
    if (lookAt(facts, file, launch(facts.id), 'entry').state !== 'vanished') return
    const turn = keeper.mayRestore(facts.id)
    if (turn === 'no') return
    if (turn === 'one too many') await hooks.record('registration.given up', facts.id, { path: file })
    else await restore(facts, file)
    hooks.changed()
  }

  const restore = async (facts: ClientFacts, file: string): Promise<void> => {
    await hooks.record('registration.vanished', facts.id, { path: file })
    try {
      // Nobody is there to be warned.
      const warning = openToOthers(readConfig(file))
      if (warning !== null) throw new Refusal(warning)
      await edit(facts, file, { is: 'set', entry: facts.entry(launch(facts.id)) })
      await hooks.record('registration.restored', facts.id, { path: file })
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof Fault)) throw error
      await hooks.record('registration.not restored', facts.id, { path: file, reason: error.message })
    }
  }

  follow()
  for (const { files } of ledger.all()) for (const { path } of files) attendSoon(path)

  return {
    async list() {
      const running = await runningPrograms()
      return CLIENTS.map((facts) => infoOf(facts, running))
    },

    preview(client, act) {
      const facts = known(client)
      const files = act === 'remove' ? touched(facts) : present(facts)
      return files.map((file) => previewOf(facts, file, act, launch(client), ledger, backups))
    },

    add: (client, policy) =>
      inTurn(async () => {
        const facts = known(client)
        const files = present(facts)
        const entry = facts.entry(launch(client))
        rehearse(facts, files, () => ({ is: 'set', entry }))
        if (clients.get(client)?.via === 'http') throw new Refusal(`There is a client '${client}' already, which comes over HTTP`, 'exists')
        if (clients.get(client) === null) clients.register(client, facts.name, policy)
        else clients.bind(client, policy)
        if (clients.get(client)?.keyless === true) clients.rotate(client)
        return put(facts, files)
      }),

    repair: (client) =>
      inTurn(async () => {
        const facts = known(client)
        if (clients.get(client) === null) throw new Refusal(`${facts.name} is not registered; add it`, 'not found')
        const files = present(facts)
        const entry = facts.entry(launch(client))
        rehearse(facts, files, () => ({ is: 'set', entry }))
        return put(facts, files)
      }),

    remove: (client) =>
      inTurn(async () => {
        const facts = known(client)
        const wishes = touched(facts).map((file) => ({ file, wish: () => removalOf(client, file, readConfig(file), ledger, backups) }))
        rehearse(facts, touched(facts), (file) => removalOf(client, file, readConfig(file), ledger, backups))
        for (const { file, wish } of wishes) await edit(facts, file, wish())
        if (clients.get(client) !== null) await hooks.revoke(client)
        keeper.begin(client)
        return done(facts)
      }),

    undo: (id) =>
      inTurn(async () => {
        const found = backups.read(id)
        if (found === null) throw new Refusal('This backup is gone', 'not found')
        const { backup, bytes } = found
        const facts = known(backup.client)
        const mark = ledger.file(backup.client, backup.path)?.mark
        if (mark === undefined) throw new Refusal(`${facts.name} has no entry of ours in this file any more`)
        await edit(facts, backup.path, { is: 'restore', from: (now) => ledger.mark(now) === mark, bytes })
        return done(facts)
      }),

    async test(client) {
      const facts = known(client)
      const { state } = infoOf(facts, null)
      // A changed entry starts who knows what: we do not.
      if (state !== 'registered') throw new Refusal(`${facts.name} is not registered as it should be; add or repair it first`)
      return tryLaunch(client, launch(client), around.env)
    },

    scan: (): PlaintextFinding[] => CLIENTS.flatMap((facts) => filesOf(facts, around).flatMap((file) => scanFile(facts, file) ?? [])),

    alarms: () =>
      keeper.untold().map((client) => ({
        id: `registration:${client}`,
        text: `${factsOf(client)?.name ?? client} keeps removing our entry from its configuration; it was put back three times within a minute. Quit it, then choose Repair.`,
      })),

    acknowledge(alarm) {
      const client = keeper.untold().find((id) => `registration:${id}` === alarm)
      if (client !== undefined) keeper.told(client)
      return client !== undefined
    },

    async close() {
      closed = true
      watch.close()
      await turn
    },
  }
}

/** The worst of its files speaks for a client. */
const BY_CONCERN: readonly RegistrationState[] = ['broken', 'vanished', 'changed', 'registered', 'detected']

function stateOf(files: readonly RegistrationFile[]): RegistrationState {
  return BY_CONCERN.find((state) => files.some((file) => file.state === state)) ?? 'absent'
}
