/**
 * What the headless page has to ask for before it shows anything: to choose a PIN or passphrase, to enter it, or nothing that
 * could help, because the keychain is locked or the vault damaged.
 */
export type LoginMode = 'set pin' | 'pin' | 'set passphrase' | 'passphrase' | 'locked' | 'damaged'
