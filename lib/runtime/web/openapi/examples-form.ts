/**
 * What the description shows of an operation. Bodies have a name, which says what each shows; what is sent is accepted by a
 * platform that `npm start` has made.
 */
export type Examples = {
  /** Of parameters, by name. */
  parameters?: Readonly<Record<string, string>>
  request?: Readonly<Record<string, unknown>>
  /** By status. Refusals have theirs by their codes, and need none here. */
  answers?: Readonly<Record<number, Readonly<Record<string, unknown>>>>
}
