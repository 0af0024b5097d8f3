import type { Bindings, Shape } from '../ir/ir.ts'
import type { Column, RemoteSchema, RemoteStep, Table } from '../model/model.ts'

/** A field of a request to a remote schema, under the server's names. */
export type SentField = {
  as: string
  name: string
  /** Reads the arguments for a single run. */
  args(bindings: Bindings): readonly SentMember[]
  /** The key that equal fields have: the alias, the name, the arguments and the selection, as text. */
  key: string
  /** Null for a field without a selection. */
  below: SentSelection | null
}

/** An argument, or a member of an object. */
export type SentMember = { name: string; value: SentValue }

export type SentValue =
  /** Text in GraphQL's notation. */
  | { kind: 'text'; text: string }
  /** A variable that the caller's document uses. */
  | { kind: 'variable'; name: string; type: string; defaultText: string | null; value: unknown }
  /** A value that is sent as a separate variable. */
  | { kind: 'json'; type: string; value: unknown }
  | { kind: 'list'; items: readonly SentValue[] }
  | { kind: 'object'; members: readonly SentMember[] }

/** The selected fields of an object, and the part of the response that the caller gets. */
export type SentSelection = {
  fields: readonly SentField[]
  /** The fields for objects of certain types only. */
  typeSelections: readonly { type: string; fields: readonly SentField[] }[]
  response: ResponseShape
}

/** The part of a remote server's object that the caller gets. */
export type ResponseShape =
  | { kind: 'object'; items: readonly ResponseItem[] }
  /**
   * An object with several possible types. `typenameAs` is the key in the server's response that has the name of the
   * object's type; null if the type does not matter.
   */
  | {
      kind: 'abstract'
      typenameAs: string | null
      byType: ReadonlyMap<string, readonly ResponseItem[]>
    }

export type ResponseItem = { as: string } & (
  | { kind: 'value'; below: ResponseShape | null }
  | { kind: 'typename' }
  /** The value of a relationship. `leftFields` are the keys of the left side's fields that it joins on. */
  | { kind: 'join'; join: RemoteJoin; leftFields: readonly string[] }
)

/**
 * A remote relationship in a plan. The engine fetches the left side first, and then the related values for all objects
 * at once.
 */
export type RemoteJoin = {
  /** The fields of the left side that the relationship needs. */
  leftFields: readonly string[]
} & (
  | { kind: 'rows'; rows: JoinedRows; shape: Shape }
  /** `field` is the field that the last step selects. */
  | { kind: 'field'; schema: RemoteSchema; steps: readonly RemoteStep[]; field: SentField }
)

/**
 * A relationship to a table from objects of an action, from objects of a remote server, or from rows with a remote
 * relationship. The mapped columns of the related rows equal fields of the object.
 */
export type JoinedRows = {
  /** The name of the relationship's field. A field with another name is the relationship's aggregate field. */
  name: string
  kind: 'object' | 'array'
  remote: Table
  mapping: readonly { field: string; column: Column }[]
}
