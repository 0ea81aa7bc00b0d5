/** What the vault cannot do, as a sentence. None of them carries a value. */
export class VaultError extends Error {
  override name = 'VaultError'
}

/** Another program wrote over the value: it is handed to nobody until a person adopts it or restores a former version. */
export class ChangedOutside extends VaultError {
  override name = 'ChangedOutside'
  constructor(secret: string) {
    super(`'${secret}' was changed by another program. Adopt the new value or restore a former version in Countersign.`)
  }
}

/** The secret is not at the version the caller expected; nothing was changed. */
export class VaultConflict extends VaultError {
  override name = 'VaultConflict'
  /** null: there is no such secret. */
  readonly current: number | null
  constructor(secret: string, current: number | null) {
    super(current === null ? `'${secret}' does not exist any more.` : `'${secret}' has changed meanwhile: its version is now ${current}.`)
    this.current = current
  }
}
