/**
 * What the headless page has to ask for before it shows anything: to choose a PIN or passphrase, to enter it, or nothing that
 * could help, because the keychain is locked, the vault damaged, or the first PIN is to be chosen somewhere else.
 */
export type LoginMode =
  | 'set pin'
  | 'set pin with code'
  | 'set pin elsewhere'
  | 'pin'
  | 'set passphrase'
  | 'passphrase'
  | 'locked'
  | 'damaged'

/**
 * A browser sends a cookie to every port of a host, so any program that serves a page on this computer may be shown ours. The page
 * therefore has a second token, which only scripts of its own origin (port included) can read: in this header of its requests, and
 * as the protocol after RPC_PROTOCOL when it opens its WebSocket. Neither cookie nor token is worth anything alone.
 */
export const PAGE_TOKEN_HEADER = 'x-countersign-page'
export const RPC_PROTOCOL = 'countersign'
