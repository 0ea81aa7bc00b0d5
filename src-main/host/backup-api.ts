// The backup methods of the contract, for the windows.

import type { Entry } from '../../src-shared/audit.ts'
import type { ImportPlan } from '../../src-shared/backup.ts'
import { PERSON } from '../../src-shared/client.ts'
import { planDetail, planId } from './backup-plan.ts'
import type { Core } from './core.ts'
import { Refusal } from './errors.ts'
import { systemEntry } from './record.ts'
import type { Api } from './rpc.ts'

interface Acts {
  core: () => Core
  changing: <T>(what: 'secrets', event: string, detail: Entry['detail'], act: () => Promise<T>) => Promise<T>
}

export function createBackupApi({ core, changing }: Acts) {
  /** What the person was last shown of a backup. */
  let previewed: { id: string; plan: ImportPlan } | null = null

  return {
    'backup.export': async ({ path, passphrase }) => {
      await core().journal.append(systemEntry('backup.exported', { client: PERSON, approver: 'person', detail: { path } }))
      return core().backup.exportTo(path, passphrase)
    },
    'backup.preview': async ({ path, passphrase, withKeys }) => {
      const plan = await core().backup.plan(path, passphrase, withKeys)
      previewed = { id: planId(plan), plan }
      return previewed
    },
    'backup.import': ({ path, passphrase, agreed }) => {
      if (previewed?.id !== agreed) throw new Refusal('Look at what the backup would change, then import it')
      const { id, plan } = previewed
      return changing('secrets', 'backup.imported', { path, ...planDetail(plan) }, async () => {
        const counts = await core().backup.importFrom(path, passphrase, 'you', { ...plan, id })
        core().secretsChanged()
        return counts
      })
    },
  } satisfies Partial<Api>
}
