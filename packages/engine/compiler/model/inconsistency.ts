import type { ErrorCode } from '../../errors.ts'

/** One object of the metadata that cannot be served, as `get_inconsistent_metadata` lists it. */
export type Inconsistency = {
  /** `table`, `function`, `object_relation`, `select_permission`, `action`… */
  type: string
  /** For example `table author in source default`. */
  name: string
  reason: string
  definition: unknown
  /** The name of the source that it is in; absent for what is in none. */
  source?: string
  /** Instead of the definition: which of an inherited role's permissions conflict. */
  entity?: object
  /** Instead of the definition: those of all objects that conflict, this one included. */
  conflicts?: readonly unknown[]
  /** Set for a conflict between several objects: Hasura then refuses the whole metadata with this error. */
  refusal?: { code: ErrorCode; message: string }
}

/** A key by which an inconsistency is recognised when it is found again. */
export function inconsistencyKey({ type, name, entity }: Inconsistency): string {
  return JSON.stringify([type, name, entity])
}

/** Why one object of the metadata cannot be served. */
export class Inconsistent extends Error {
  override readonly name = 'Inconsistent'
}

/** A reason that names its object itself, so that it is reported without a prefix that says where. */
export class UnprefixedInconsistent extends Inconsistent {
  /** The definitions of all objects that conflict, if there are several. */
  readonly conflicts: readonly unknown[] | undefined

  constructor(message: string, conflicts?: readonly unknown[]) {
    super(message)
    this.conflicts = conflicts
  }
}

/** An error whose reason Hasura tells without the place of its object. */
export function inconsistentWithoutPlace(message: string): UnprefixedInconsistent {
  return new UnprefixedInconsistent(`Inconsistent object: ${message}`)
}

/** A conflict that several objects cause together. */
export class ConflictingObjects extends Inconsistent {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** An object of the metadata. Its reasons begin with `prefix`, which says where it is: `in table "author"`. */
export type Subject = Omit<Inconsistency, 'reason'> & { prefix?: string }

/** Collects what is inconsistent while the rest of the metadata is resolved. */
export type InconsistencyReport = {
  found: Inconsistency[]
  /** Adds an inconsistency. */
  add(inconsistency: Inconsistency): void
  /** Runs `resolve`; when it throws Inconsistent, adds the object to the report and returns null. */
  attempt<T>(subject: Subject, resolve: () => T): T | null
}

/** An empty report. */
export function createReport(): InconsistencyReport {
  const found: Inconsistency[] = []
  return {
    found,
    add: (inconsistency) => {
      found.push(inconsistency)
    },
    attempt({ prefix, ...subject }, resolve) {
      try {
        return resolve()
      } catch (cause) {
        if (!(cause instanceof Inconsistent)) throw cause
        const refusal = cause instanceof ConflictingObjects ? { refusal: cause } : {}
        const conflicts = cause instanceof UnprefixedInconsistent && cause.conflicts
        const shown = conflicts ? { conflicts } : {}
        found.push({ ...subject, reason: describeReason(cause, prefix), ...refusal, ...shown })
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

/** Reads a part of the metadata. @throws Inconsistent, naming the part, for any error of `read` */
export function readPart<T>(part: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Inconsistent(`${part} cannot be read: ${reason}`, { cause })
  }
}

/**
 * Refuses an object for several reasons at once, which the message lists as Hasura's does.
 *
 * @param what for example `the function "f" cannot be tracked`
 * @throws Inconsistent unless there are no reasons
 */
export function refuseForReasons(what: string, reasons: readonly string[]): void {
  const [only, ...more] = reasons
  if (only === undefined) return
  if (more.length === 0) throw new Inconsistent(`${what} because ${only}`)
  const list = reasons.map((reason) => `  • ${reason}\n`).join('')
  throw new Inconsistent(`${what} for the following reasons:\n${list}`)
}
