/** No place can be had now. */
export class TooBusy extends Error {
  override readonly name = 'TooBusy'
  /** When to try again: by then those who wait before this caller will roughly have had their places. */
  readonly retryAfterSeconds: number

  constructor(message: string, waitMs: number) {
    super(message)
    this.retryAfterSeconds = Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(waitMs / 1_000)))
  }
}

/** Nobody is told to stay away for longer: much changes meanwhile. */
const MAX_RETRY_SECONDS = 30
