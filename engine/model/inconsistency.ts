/** One object of the metadata that cannot be served, as `get_inconsistent_metadata` lists it. */
export type Inconsistency = {
  /** `table`, `function`, `object_relation`, `select_permission`, `action`… */
  type: string
  /** For example `table author in source default`. */
  name: string
  reason: string
  definition: unknown
}
