import type { ErrorCode } from '../../errors.ts'

/** An object of the metadata that cannot be served, as `get_inconsistent_metadata` lists it. */
export type Inconsistency = {
  /** `table`, `function`, `object_relation`, `select_permission`, `action`… */
  type: string
  /** For example `table author in source default`. */
  name: string
  reason: string
  definition: unknown
  /** The name of the object's source; absent if the object is in no source. */
  source?: string
  /** The conflicting permission of an inherited role, listed instead of the definition. */
  entity?: object
  /** The definitions of all conflicting objects, listed instead of the definition. */
  conflicts?: readonly unknown[]
  /** The error with which Hasura rejects the whole metadata; set only for the conflicts for which it does so. */
  refusal?: { code: ErrorCode; message: string }
}

/** Returns a key that is the same for the same inconsistency in a later build. */
export function inconsistencyKey({ type, name, entity }: Inconsistency): string {
  return JSON.stringify([type, name, entity])
}

/** The reason why an object of the metadata cannot be served. */
export class Inconsistent extends Error {
  override readonly name = 'Inconsistent'
}

/** A reason that is reported word for word, without `Inconsistent object:` and the object's place before it. */
export class UnprefixedInconsistent extends Inconsistent {
  /** The definitions of all conflicting objects, if there are several. */
  readonly conflicts: readonly unknown[] | undefined

  constructor(message: string, conflicts?: readonly unknown[]) {
    super(message)
    this.conflicts = conflicts
  }
}

/** Creates an error for a reason that Hasura reports without the place of the object. */
export function inconsistentWithoutPlace(message: string): UnprefixedInconsistent {
  return new UnprefixedInconsistent(`Inconsistent object: ${message}`)
}

/** A conflict between objects for which Hasura rejects the whole metadata. */
export class ConflictingObjects extends Inconsistent {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** An object of the metadata. `prefix` names its place in the reason: `in table "author"`. */
export type Subject = Omit<Inconsistency, 'reason'> & { prefix?: string }

/** Collects the inconsistencies while the metadata is resolved. */
export type InconsistencyReport = {
  inconsistencies: Inconsistency[]
  add(inconsistency: Inconsistency): void
  /** Runs `resolve`. If it throws Inconsistent, adds the object to the report and returns null. */
  attempt<T>(subject: Subject, resolve: () => T): T | null
}

export function createReport(): InconsistencyReport {
  const inconsistencies: Inconsistency[] = []
  return {
    inconsistencies,
    add: (inconsistency) => {
      inconsistencies.push(inconsistency)
    },
    attempt({ prefix, ...subject }, resolve) {
      try {
        return resolve()
      } catch (cause) {
        if (!(cause instanceof Inconsistent)) throw cause
        const refusal = cause instanceof ConflictingObjects ? { refusal: cause } : {}
        const conflicts = cause instanceof UnprefixedInconsistent && cause.conflicts
        const conflictsPart = conflicts ? { conflicts } : {}
        inconsistencies.push({
          ...subject,
          reason: describeReason(cause, prefix),
          ...refusal,
          ...conflictsPart,
        })
        return null
      }
    },
  }
}

function describeReason(cause: Inconsistent, prefix: string | undefined): string {
  if (cause instanceof UnprefixedInconsistent) return cause.message
  const place = prefix === undefined || cause instanceof ConflictingObjects ? '' : `${prefix}: `
  return `Inconsistent object: ${place}${cause.message}`
}

/** Reads a part of the metadata. Adds the name of the part to any error of `read`. @throws Inconsistent */
export function readPart<T>(part: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Inconsistent(`${part} cannot be read: ${reason}`, { cause })
  }
}

/**
 * Rejects an object, and lists all reasons against it as Hasura's message does.
 *
 * @param messageStart the beginning of the message, for example `the function "f" cannot be tracked`
 * @throws Inconsistent if there are any reasons
 */
export function refuseForReasons(messageStart: string, reasons: readonly string[]): void {
  const [first, ...furtherReasons] = reasons
  if (first === undefined) return
  if (furtherReasons.length === 0) throw new Inconsistent(`${messageStart} because ${first}`)
  const list = reasons.map((reason) => `  • ${reason}\n`).join('')
  throw new Inconsistent(`${messageStart} for the following reasons:\n${list}`)
}
