import { ident, type Sql } from '../../postgres/sql.ts'

/** Where an expression is printed: what `row` and `root` refer to, and which aliases are free. */
export type Scope = {
  row: Sql
  root: Sql
  /** The row as one value of its table's type, as functions take it. */
  whole: Sql
  /** Hands out aliases; shared by all of one statement. */
  aliases: Aliases
  /**
   * Whether values of session variables are converted to their type when they are needed, so that a malformed one that
   * is not does no harm, as in Hasura's queries; in its mutations it does.
   */
  convertsLate: boolean
}

export type Aliases = { next(): Sql }

/**
 * Aliases for one statement.
 * They contain a dot, so that no column that has a name in GraphQL is equal to one.
 */
function newAliases(): Aliases {
  const counter = { last: 0 }
  return {
    next() {
      counter.last += 1
      return ident(`t.${counter.last}`)
    },
  }
}

/** The scope of a statement's outermost row. */
export function outermostScope(convertsLate = false): Scope {
  const names = newAliases()
  const row = names.next()
  return { row, root: row, whole: row, aliases: names, convertsLate }
}

/** The scope of another row, seen from inside the given one. */
export function innerScope(scope: Scope): Scope {
  const row = scope.aliases.next()
  return { ...scope, row, whole: row }
}

/** The column in which a subquery passes on its whole row as one value. */
export const WHOLE = ident('whole row')
