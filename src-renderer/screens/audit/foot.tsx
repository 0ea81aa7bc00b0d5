import { useState } from 'react'
import { behindText, type VerifyReport } from '../../../src-shared/audit.ts'
import { showUntrusted } from '../../../src-shared/untrusted.ts'
import { useHostData, useLink } from '../../link/use-host.ts'
import { absolute, ago, useNow } from '../../ui/time.ts'
import { useAction } from '../../ui/use-action.ts'
import css from './foot.module.css'
import type { AuditView } from './use-audit-view.ts'

const SETTINGS_EVENTS = ['changed'] as const
const NO_EVENTS = [] as const
const counts = new Intl.NumberFormat('en')

/** How much there is, whether it holds, and how long it is kept. */
export function Foot({ view, onEntry }: { view: AuditView | null; onEntry: (seq: number) => void }) {
  const { data: settings } = useHostData('settings.get', {}, SETTINGS_EVENTS)
  const entries = view?.totals.entries ?? 0
  const rows = view?.totals.rows ?? 0
  return (
    <footer className={css.foot}>
      <p role="status">
        {counts.format(rows)} {rows === 1 ? 'row' : 'rows'} shown
        <span className={css.more}> of a log of {counts.format(entries)} entries</span>
      </p>
      {settings !== null && (
        <p className={css.more}>
          {settings.retentionDays === null
            ? 'kept for ever'
            : `kept for ${settings.retentionDays === 1 ? 'a day' : `${settings.retentionDays} days`}`}
        </p>
      )}
      <Verify onEntry={onEntry} />
    </footer>
  )
}

function Verify({ onEntry }: { onEntry: (seq: number) => void }) {
  const link = useLink()
  const action = useAction()
  const now = useNow(15_000)
  const { data: before } = useHostData('audit.verified', {}, NO_EVENTS)
  const [mine, setMine] = useState<{ at: number; report: VerifyReport } | null>(null)
  const verified = mine ?? before

  async function verify(): Promise<void> {
    await action.run(async () => setMine({ report: await link.call('audit.verify', {}), at: Date.now() }))
  }

  const said = verified === null ? null : verdict(verified.report)
  return (
    <>
      <p role="status" className={said === null || said.ok ? css.verdict : css.bad} title={verified === null ? '' : absolute(verified.at)}>
        {action.busy && 'Verifying every entry…'}
        {!action.busy && action.error !== null && action.error}
        {!action.busy && action.error === null && (
          <>
            {said === null ? 'Chain not verified since Countersign started' : said.text}
            {verified !== null && said !== null && `, verified ${ago(verified.at, now)}`}
          </>
        )}
      </p>
      {said?.entry !== undefined && (
        <button type="button" className={css.action} onClick={() => onEntry(said.entry ?? 0)}>
          Show entry {said.entry}
        </button>
      )}
      <button type="button" className={css.action} disabled={action.busy} onClick={() => void verify()}>
        Verify
      </button>
    </>
  )
}

function verdict(report: VerifyReport): { ok: boolean; text: string; entry?: number } {
  switch (report.state) {
    case 'ok':
      return { ok: true, text: `✓ Chain intact, ${counts.format(report.entries)} entries` }
    case 'tampered':
      return {
        ok: false,
        text: `! Broken at entry ${report.badSeq}, the first that does not hold. ${showUntrusted(report.reason, 200)}`,
        entry: report.badSeq,
      }
    case 'no key':
      return { ok: false, text: `! It cannot be verified without its key. ${showUntrusted(report.reason, 200)}` }
    case 'behind':
      return { ok: false, text: `! ${behindText(report)} ${showUntrusted(report.reason, 200)}` }
  }
}
