/** The label of each field, and the text for its value. */
export type FieldWords<Values> = {
  [Name in keyof Values]: { label: string; describe?(value: Values[Name]): string }
}
