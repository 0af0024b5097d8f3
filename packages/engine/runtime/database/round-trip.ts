import type { Connection, PoolClient, Submittable } from 'pg'
import { createPreparedStatements, withoutLongNames } from './prepared-statements.ts'

/** A statement with the values of its parameters. A named statement is prepared once per connection. */
export type BoundStatement = { name: string | null; text: string; values: (string | null)[] }

/** The columns of a statement's only row, as text; null for SQL's null. */
export type Columns = readonly (string | null)[]

/** The result of a round trip. `failStatement` is the failed statement, or undefined if the commit failed. */
export type Outcome<F extends BoundStatement> =
  | { ok: true; rows: readonly Columns[] }
  | { ok: false; reason: unknown; failStatement: F | undefined }

/**
 * Sends statements in one packet that ends with one Sync, and reads one row of each statement. PostgreSQL runs everything before a
 * Sync as one transaction, and commits it at the Sync. If a statement fails, PostgreSQL rolls back the earlier statements and skips
 * the rest.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export function roundTrip<F extends BoundStatement>(
  client: PoolClient,
  statements: readonly F[],
  onDone: (outcome: Outcome<F>) => void,
): void {
  client.query(new RoundTrip(statements, onDone))
}

/** A smaller version of pg's Query. Requests no description of the columns, because all are text. */
class RoundTrip<F extends BoundStatement> implements Submittable {
  readonly #statements: readonly F[]
  readonly #done: (outcome: Outcome<F>) => void
  readonly #rows: Columns[] = []
  #row: Columns = []
  /** Forgets a prepared statement. */
  #forget: (name: string) => void = () => {}

  constructor(statements: readonly F[], onDone: (outcome: Outcome<F>) => void) {
    this.#statements = statements
    this.#done = onDone
  }

  submit(connection: Connection) {
    const prepared = createPreparedStatements(connection)
    const statements = withoutLongNames(this.#statements)
    this.#forget = (name) => prepared.forget(name)
    connection.stream.cork()
    const missing = prepared.reserve(statements)
    const parsed = new Set<string>()
    for (const { name, text, values } of statements) {
      if (name === null) connection.parse({ name: '', text, types: [] }, true)
      else if (missing.has(name) && !parsed.has(name)) {
        // After a failed round trip, PostgreSQL may still have this statement. Closing a missing statement is no error.
        connection.close({ type: 'S', name }, true)
        connection.parse({ name, text, types: [] }, true)
        parsed.add(name)
      }
      connection.bind({ statement: name ?? '', values }, true)
      connection.execute(null, true)
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleDataRow({ fields }: { fields: Columns }) {
    this.#row = fields
  }

  handleCommandComplete() {
    this.#rows.push(this.#row)
    this.#row = []
  }

  handleReadyForQuery() {
    this.#done({ ok: true, rows: this.#rows })
  }

  handleError(reason: unknown) {
    const undone = this.#statements.slice(this.#rows.length)
    for (const { name } of undone) if (name !== null) this.#forget(name)
    this.#done({ ok: false, reason, failStatement: undone[0] })
  }
}
