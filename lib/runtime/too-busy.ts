/** An error: every place is taken. */
export class TooBusy extends Error {
  override readonly name = 'TooBusy'
  /** The estimated wait until the callers in front of this caller have had a place. */
  readonly retryAfterSeconds: number

  constructor(message: string, waitMs: number) {
    super(message)
    this.retryAfterSeconds = Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(waitMs / 1_000)))
  }
}

/** The longest wait that a caller is asked for; a longer estimate would be too inaccurate. */
const MAX_RETRY_SECONDS = 30
