/** An error that says itself which of its facts the log may contain. They quote nothing that a caller sent. */
export class ExplainedFault extends Error {
  readonly facts: Readonly<Record<string, unknown>>

  constructor(message: string, facts: Readonly<Record<string, unknown>>, options?: ErrorOptions) {
    super(message, options)
    this.facts = facts
  }
}
