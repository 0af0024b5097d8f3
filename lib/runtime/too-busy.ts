/** An error: all places are taken, and the request may not wait, has waited too long or was displaced by another caller. */
export class TooBusy extends Error {
  override readonly name = 'TooBusy'
  /** The estimated wait until a retry gets a place, from 1 to `MAX_RETRY_SECONDS`. */
  readonly retryAfterSeconds: number

  constructor(message: string, waitMs: number) {
    super(message)
    this.retryAfterSeconds = Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(waitMs / 1_000)))
  }
}

/** The longest wait that a response asks for. A longer estimate would be too inaccurate. */
const MAX_RETRY_SECONDS = 30
