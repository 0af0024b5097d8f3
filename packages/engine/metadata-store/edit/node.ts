/** An object in a document. Edits may change it, because they work on a copy of the document. */
export type Node = Record<string, unknown>

/** A list in a document, the key of its entries, and the name of the object that has the list. */
export type Place = {
  owner: Node
  list: string
  keyOf(entry: Node): string
  /** The name of the object that has the list, for error messages. */
  of?: string
  /** The name of the source that contains the list, for error messages. */
  source?: string
  /** The list's name for error messages, if several lists have the same `list`. */
  label?: string
}
