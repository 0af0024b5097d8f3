import { ident, type Sql } from '../../postgres/sql.ts'

/** The context of an expression: the rows that `row` and `root` refer to, and the free aliases. */
export type Scope = {
  row: Sql
  root: Sql
  /** The row as a single value of its table's type, as an argument of functions. */
  wholeRow: Sql
  /** Creates aliases that are not used yet. All scopes of a statement share it. */
  aliases: Aliases
  /**
   * True in queries, as in Hasura: the statement gets a session variable as text, and converts it only where it is used.
   * So a malformed variable does no harm if it is not used. In mutations, PostgreSQL converts each parameter first.
   */
  convertsLate: boolean
}

export type Aliases = { next(): Sql }

/** Creates the aliases of a statement. They contain a dot, so no column with a valid GraphQL name equals an alias. */
function createAliases(): Aliases {
  const counter = { last: 0 }
  return {
    next() {
      counter.last += 1
      return ident(`t.${counter.last}`)
    },
  }
}

/** Creates the scope of a statement's outermost row. */
export function outermostScope(convertsLate = false): Scope {
  const names = createAliases()
  const row = names.next()
  return { row, root: row, wholeRow: row, aliases: names, convertsLate }
}

/** Creates the scope of a row inside another scope. */
export function innerScope(scope: Scope): Scope {
  const row = scope.aliases.next()
  return { ...scope, row, wholeRow: row }
}

/** The column in which a subquery returns its whole row as a single value. */
export const WHOLE_ROW = ident('whole row')
