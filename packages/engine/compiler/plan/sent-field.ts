import type { Bindings, Shape } from '../ir/ir.ts'
import type { Column, RemoteSchema, RemoteStep, Table } from '../model/model.ts'

/** A field of a request to a remote schema, under the names that its server knows. */
export type SentField = {
  as: string
  name: string
  /** Reads the arguments for one run. */
  args(bindings: Bindings): readonly SentMember[]
  /** The field and its arguments as text, by which equal ones are recognised. */
  key: string
  /** Null for a field without fields of its own. */
  below: SentSelection | null
}

/** An argument, or a member of an object. */
export type SentMember = { name: string; value: SentValue }

export type SentValue =
  /** In GraphQL's notation. */
  | { kind: 'text'; text: string }
  /** A variable of the caller's. */
  | { kind: 'variable'; name: string; type: string; defaultText: string | null; value: unknown }
  /** A value that is sent as a variable of its own. */
  | { kind: 'json'; type: string; value: unknown }
  | { kind: 'list'; items: readonly SentValue[] }
  | { kind: 'object'; members: readonly SentMember[] }

/** The fields that are asked of an object, and what of the answer is shown. */
export type SentSelection = {
  fields: readonly SentField[]
  /** Those that only objects of some types are asked for. */
  on: readonly { type: string; fields: readonly SentField[] }[]
  shown: Shown
}

/** What the answer shows of an object that a remote server has answered. */
export type Shown =
  | { kind: 'object'; items: readonly ShownItem[] }
  /** An object of one of several types; the key under which its type's name is, if that must be known. */
  | {
      kind: 'abstract'
      typenameAs: string | null
      byType: ReadonlyMap<string, readonly ShownItem[]>
    }

export type ShownItem = { as: string } & (
  | { kind: 'value'; below: Shown | null }
  | { kind: 'typename' }
  /** A relationship; the keys under which the fields of the left side are. */
  | { kind: 'join'; join: RemoteJoin; left: readonly string[] }
)

/** A relationship whose answers are fetched when its left side is known, for all of its objects at once. */
export type RemoteJoin = {
  /** The fields of the left side that it needs. */
  left: readonly string[]
} & (
  | { kind: 'rows'; rows: JoinedRows; shape: Shape }
  /** `field` is the one at the end of the steps. */
  | { kind: 'field'; schema: RemoteSchema; steps: readonly RemoteStep[]; field: SentField }
)

/** A relationship to a table from objects that are not rows: columns equal fields of the object. */
export type JoinedRows = {
  /** The name of the field; one with another name is its aggregate. */
  name: string
  kind: 'object' | 'array'
  remote: Table
  mapping: readonly { field: string; column: Column }[]
}
