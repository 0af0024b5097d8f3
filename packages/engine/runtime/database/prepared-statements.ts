import { LRUCache } from 'lru-cache'
import type { Connection } from 'pg'

/**
 * The prepared statements of a connection. PostgreSQL keeps each statement and its plan until the statement is closed. So only
 * recently used statements stay prepared, and long statements are never prepared.
 */
export type PreparedStatements = {
  /**
   * Makes room for the named statements by closing other statements. Must come first in a round trip, because PostgreSQL ignores
   * all messages after a failed statement, and would not close the other statements.
   *
   * @returns the names of the statements to prepare
   */
  reserve(statements: readonly Nameable[]): ReadonlySet<string>
  /** Forgets a statement that may not have been prepared. */
  forget(name: string): void
}

type Nameable = { name: string | null; text: string }

const MAX_STATEMENTS = 500
/**
 * The maximum length of all prepared texts together. It limits the memory of PostgreSQL's process, because a plan takes about
 * twenty times the length of the statement's text.
 */
const MAX_CHARACTERS = 1_000_000
const MAX_CHARACTERS_OF_ONE = 20_000

/**
 * Removes the names of statements that are too long to stay prepared. Removes all names if the statements of a round trip are
 * too many, or together too long.
 */
export function withoutLongNames<S extends Nameable>(statements: readonly S[]): readonly S[] {
  const characters = statements.reduce((sum, { text }) => sum + text.length, 0)
  const isLong = characters > MAX_CHARACTERS / 2 || statements.length > MAX_STATEMENTS / 2
  return statements.map((statement) =>
    isLong || statement.text.length > MAX_CHARACTERS_OF_ONE
      ? { ...statement, name: null }
      : statement,
  )
}

/** Returns the prepared statements of a connection. */
export function createPreparedStatements(connection: Connection): PreparedStatements {
  const prepared = byConnection.get(connection) ?? createTracker(connection)
  byConnection.set(connection, prepared)
  return prepared
}

const byConnection = new WeakMap<Connection, PreparedStatements>()

function createTracker(connection: Connection): PreparedStatements {
  const prepared = new LRUCache<string, number>({
    max: MAX_STATEMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (characters) => Math.max(1, characters),
    dispose(_characters, name, reason) {
      if (reason === 'evict') connection.close({ type: 'S', name }, true)
    },
  })
  return {
    reserve(statements) {
      const missing = new Map<string, number>()
      for (const { name, text } of statements)
        if (name !== null && prepared.get(name) === undefined) missing.set(name, text.length)
      for (const [name, characters] of missing) prepared.set(name, characters)
      return new Set(missing.keys())
    },
    forget(name) {
      prepared.delete(name)
    },
  }
}
