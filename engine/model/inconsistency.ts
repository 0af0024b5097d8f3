import type { ErrorCode } from '../errors.ts'

/** One object of the metadata that cannot be served, as `get_inconsistent_metadata` lists it. */
export type Inconsistency = {
  /** `table`, `function`, `object_relation`, `select_permission`, `action`… */
  type: string
  /** For example `table author in source default`. */
  name: string
  reason: string
  definition: unknown
  /** Instead of the definition: which of an inherited role's permissions conflict. */
  entity?: object
  /** In the place of the definition, this one and those that it is at odds with. */
  conflicts?: readonly unknown[]
  /** Set when several objects cause it together: Hasura then refuses the whole metadata with this error. */
  refusal?: { code: ErrorCode; message: string }
}

/** A key by which an inconsistency is recognised when it is found again. */
export function identityOf({ type, name, entity }: Inconsistency): string {
  return JSON.stringify([type, name, entity])
}

/** Why one object of the metadata cannot be served. */
export class Inconsistent extends Error {
  override readonly name = 'Inconsistent'
}

/** A reason that names its object itself, so that it is reported without a prefix that says where. */
export class SelfEvident extends Inconsistent {
  /** The definitions that are at odds, where it is not one alone. */
  readonly conflicts: readonly unknown[] | undefined

  constructor(message: string, conflicts?: readonly unknown[]) {
    super(message)
    this.conflicts = conflicts
  }
}

/** A conflict that several objects cause together. */
export class Impossible extends Inconsistent {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** An object of the metadata; `within` is the prefix of its reasons, such as `in table "author"`. */
export type Subject = Omit<Inconsistency, 'reason'> & { within?: string }

/** Collects what is inconsistent while the rest of the metadata is resolved. */
export type Report = {
  found: Inconsistency[]
  /** Adds an inconsistency. */
  note(inconsistency: Inconsistency): void
  /** Runs `resolve`; when it throws Inconsistent, notes the object and returns null. */
  attempt<T>(subject: Subject, resolve: () => T): T | null
}

/** An empty report. */
export function report(): Report {
  const found: Inconsistency[] = []
  return {
    found,
    note: (inconsistency) => {
      found.push(inconsistency)
    },
    attempt({ within, ...subject }, resolve) {
      try {
        return resolve()
      } catch (cause) {
        if (!(cause instanceof Inconsistent)) throw cause
        const refusal = cause instanceof Impossible ? { refusal: cause } : {}
        const conflicts = cause instanceof SelfEvident && cause.conflicts
        const shown = conflicts ? { conflicts } : {}
        found.push({ ...subject, reason: reasonOf(cause, within), ...refusal, ...shown })
        return null
      }
    },
  }
}

function reasonOf(cause: Inconsistent, within: string | undefined): string {
  if (cause instanceof SelfEvident) return cause.message
  const place = within === undefined || cause instanceof Impossible ? '' : `${within}: `
  return `Inconsistent object: ${place}${cause.message}`
}

/** Runs a reader of a part of the metadata. @throws Inconsistent naming the part */
export function readable<T>(part: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Inconsistent(`${part} cannot be read: ${reason}`, { cause })
  }
}
