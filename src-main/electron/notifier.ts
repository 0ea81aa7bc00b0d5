// Native notifications. One suffices alone: where no window may place or raise itself, it is how a person learns of a request.

import type { NotificationConstructorOptions } from 'electron'
import type { ApprovalView } from '../../src-shared/approval.ts'
import { requestWords } from './tray-menu.ts'

export interface Notifier {
  ask: (approval: ApprovalView) => Promise<void>
  /** Something the person asked for from the tray did not work. */
  tell: (sentence: string) => void
  /** It was answered or has expired. */
  end: (id: string) => void
}

/** What we use of Electron's. */
interface ShownNotification {
  show: () => void
  close: () => void
}

interface Parts {
  /** Null where the desktop shows no notifications. */
  create: (options: NotificationConstructorOptions, on?: { click: () => void; close: () => void }) => ShownNotification | null
  /** Whether the person wants to be told of requests so. */
  wanted: () => Promise<boolean>
  onClick: () => void
}

export function createNotifier({ create, wanted, onClick }: Parts): Notifier {
  /** Of every open request; null while the settings are being read. */
  const shown = new Map<string, ShownNotification | null>()
  return {
    ask: async (approval) => {
      shown.set(approval.id, null)
      const isWanted = await wanted().catch((error: unknown) => {
        shown.delete(approval.id)
        throw error
      })
      // It may have ended meanwhile.
      if (!shown.has(approval.id)) return
      shown.delete(approval.id)
      if (!isWanted) return
      const minutes = Math.max(1, Math.round((approval.expires - approval.opened) / 60_000))
      const options: NotificationConstructorOptions = {
        // Names that others chose stand in the title alone: some desktops read the body as markup.
        title: requestWords(approval),
        body: `Click to answer. Unless you do, it is denied after ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
        urgency: 'critical',
        timeoutType: 'never',
      }
      const notification = create(options, { click: onClick, close: () => shown.delete(approval.id) })
      if (notification === null) return
      shown.set(approval.id, notification)
      notification.show()
    },
    tell: (sentence) => {
      create({ title: 'Countersign', body: sentence })?.show()
    },
    end: (id) => {
      shown.get(id)?.close()
      shown.delete(id)
    },
  }
}
