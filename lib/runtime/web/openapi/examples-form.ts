/** The examples of an operation. */
export type Examples = {
  /** Example values, by the parameter's name. */
  parameters?: Readonly<Record<string, string>>
  /** Example bodies, by a name that describes them. */
  request?: Readonly<Record<string, unknown>>
  /** Example bodies, by status, then by name. Errors get their examples from their codes. */
  answers?: Readonly<Record<number, Readonly<Record<string, unknown>>>>
}
