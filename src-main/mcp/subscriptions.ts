// Who hears of changes. Old era: whoever has initialized, and `resources/subscribe`. New era: only `subscriptions/listen`,
// and each notification says which of these requests it belongs to.

import { isObject, type JsonObject } from './json.ts'
import { CODE, notification, ProtocolError } from './jsonrpc.ts'
import { subscriptionUris } from './resources.ts'
import { SUBSCRIPTION_KEY } from './revisions.ts'
import type { Context, Link, Running, Session } from './session.ts'

const LIST_CHANGED = 'notifications/resources/list_changed'
const UPDATED = 'notifications/resources/updated'
/** Entries of the log never change. */
const CONSTANT = 'countersign://audit/'

/** Resolves when the subscription is over; until then it is an open request like any other. */
export async function listen({ session, link, request }: Context, running: Running): Promise<JsonObject> {
  const filter = request.params['notifications']
  if (!isObject(filter)) throw new ProtocolError(CODE.params, 'notifications must be an object')
  const uris = subscriptionUris(filter['resourceSubscriptions'])
  const listChanged = filter['resourcesListChanged'] === true
  const tag = { [SUBSCRIPTION_KEY]: request.id }
  link.notify(
    notification('notifications/subscriptions/acknowledged', {
      _meta: tag,
      // Our tools never change and we have no prompts, so of the filter only this is honoured.
      notifications: {
        ...(listChanged ? { resourcesListChanged: true } : {}),
        ...(uris.size > 0 ? { resourceSubscriptions: [...uris] } : {}),
      },
    }),
  )
  return new Promise((resolve) => {
    const over = (): void => {
      session.listeners.delete(request.id)
      resolve({ _meta: tag })
    }
    running.signal.addEventListener('abort', over, { once: true })
    session.listeners.set(request.id, { notify: link.notify, listChanged, uris, end: over })
  })
}

/** The names this client may see have changed. Which of them is not known here, so every subscribed one may have. */
export function tellNamesChanged(session: Session, link: Link): void {
  if (session.handshake === 'confirmed') {
    link.notify(notification(LIST_CHANGED))
    for (const uri of changeable(session.subscribed)) link.notify(notification(UPDATED, { uri }))
  }
  for (const [id, listener] of session.listeners) {
    const _meta = { [SUBSCRIPTION_KEY]: id }
    if (listener.listChanged) listener.notify(notification(LIST_CHANGED, { _meta }))
    for (const uri of changeable(listener.uris)) listener.notify(notification(UPDATED, { _meta, uri }))
  }
}

function changeable(uris: ReadonlySet<string>): string[] {
  return [...uris].filter((uri) => !uri.startsWith(CONSTANT))
}

/**
 * Ends every subscription from our side. The revision contradicts itself on how (a `cancelled` notification, or the result
 * of the request), so both are sent, in the order that fits either reading.
 */
export function endSubscriptions(session: Session): void {
  for (const [id, listener] of session.listeners) {
    listener.notify(
      notification('notifications/cancelled', { requestId: id, reason: 'The server is leaving', _meta: { [SUBSCRIPTION_KEY]: id } }),
    )
    listener.end()
  }
}
