import { LRUCache } from 'lru-cache'
import type { Connection } from 'pg'

/**
 * The statements that a connection has prepared. PostgreSQL keeps each of them, with its plan, until it is closed. So
 * only those that were used lately stay prepared, and long ones are never prepared.
 */
export type PreparedStatements = {
  /**
   * Makes room for those of these statements that have names, by closing others. It must come first in a round trip,
   * because PostgreSQL ignores everything that follows a statement that fails.
   *
   * @returns the names that are to be prepared now
   */
  reserve(statements: readonly Nameable[]): ReadonlySet<string>
  /** Forgets a statement that may or may not have been prepared. */
  forget(name: string): void
}

type Nameable = { name: string | null; text: string }

const MAX_STATEMENTS = 500
/**
 * A bound on the memory of PostgreSQL's process: a plan takes some twenty times the length of the statement's text.
 */
const MAX_CHARACTERS = 1_000_000
const MAX_CHARACTERS_OF_ONE = 20_000

/** The statements of a round trip, without the names of those that are too long to stay prepared. */
export function withoutLongNames<S extends Nameable>(statements: readonly S[]): readonly S[] {
  const characters = statements.reduce((sum, { text }) => sum + text.length, 0)
  const isLong = characters > MAX_CHARACTERS / 2 || statements.length > MAX_STATEMENTS / 2
  return statements.map((statement) =>
    isLong || statement.text.length > MAX_CHARACTERS_OF_ONE
      ? { ...statement, name: null }
      : statement,
  )
}

/** The prepared statements of a connection. */
export function createPreparedStatements(connection: Connection): PreparedStatements {
  const known = ofConnections.get(connection) ?? track(connection)
  ofConnections.set(connection, known)
  return known
}

const ofConnections = new WeakMap<Connection, PreparedStatements>()

function track(connection: Connection): PreparedStatements {
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
