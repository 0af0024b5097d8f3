/** One object of the metadata that cannot be served, as `get_inconsistent_metadata` lists it. */
export type Inconsistency = {
  /** `table`, `function`, `object_relation`, `select_permission`, `action`… */
  type: string
  /** For example `table author in source default`. */
  name: string
  reason: string
  definition: unknown
}

/** Why one object of the metadata cannot be served. */
export class Inconsistent extends Error {
  override readonly name = 'Inconsistent'
}

/** Collects what is inconsistent while the rest of the metadata is resolved. */
export type Report = {
  found: Inconsistency[]
  /** Runs `resolve`; when it throws Inconsistent, notes the object and returns null. */
  attempt<T>(subject: Omit<Inconsistency, 'reason'>, resolve: () => T): T | null
}

/** An empty report. */
export function report(): Report {
  const found: Inconsistency[] = []
  return {
    found,
    attempt(subject, resolve) {
      try {
        return resolve()
      } catch (cause) {
        if (!(cause instanceof Inconsistent)) throw cause
        found.push({ ...subject, reason: `Inconsistent object: ${cause.message}` })
        return null
      }
    },
  }
}
