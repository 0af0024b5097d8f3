/** An error with facts for the log. The facts must not contain a caller's data. */
export class ExplainedFault extends Error {
  readonly facts: Readonly<Record<string, unknown>>

  constructor(message: string, facts: Readonly<Record<string, unknown>>, options?: ErrorOptions) {
    super(message, options)
    this.facts = facts
  }
}
