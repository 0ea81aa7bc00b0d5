/** Thrown at the first place that is not what was written. */
export class Tampered extends Error {
  override name = 'Tampered'
  readonly seq: number
  constructor(seq: number, reason: string) {
    super(reason)
    this.seq = seq
  }
}
