// Native notifications. One suffices alone: where no window may place or raise itself, it is how a person learns of a request.

import { Notification, type NativeImage } from 'electron'
import type { ApprovalView } from '../../src-shared/approval.ts'
import { requestWords } from './tray-menu.ts'

export interface Notifier {
  ask: (approval: ApprovalView) => Promise<void>
  /** Something the person asked for from the tray did not work. */
  tell: (sentence: string) => void
  /** It was answered or has expired. */
  end: (id: string) => void
}

interface Parts {
  icon: NativeImage
  /** Whether the person wants to be told of requests so. */
  wanted: () => Promise<boolean>
  onClick: () => void
}

export function createNotifier({ icon, wanted, onClick }: Parts): Notifier {
  const shown = new Map<string, Notification>()
  return {
    ask: async (approval) => {
      if (!Notification.isSupported() || !(await wanted())) return
      const minutes = Math.max(1, Math.round((approval.expires - approval.opened) / 60_000))
      const notification = new Notification({
        // Names that others chose stand in the title alone: some desktops read the body as markup.
        title: requestWords(approval),
        body: `Click to answer. Unless you do, it is denied after ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
        icon,
        urgency: 'critical',
        timeoutType: 'never',
      })
      notification.on('click', onClick)
      notification.on('close', () => shown.delete(approval.id))
      shown.set(approval.id, notification)
      notification.show()
    },
    tell: (sentence) => {
      if (Notification.isSupported()) new Notification({ title: 'Countersign', body: sentence, icon }).show()
    },
    end: (id) => {
      shown.get(id)?.close()
      shown.delete(id)
    },
  }
}
