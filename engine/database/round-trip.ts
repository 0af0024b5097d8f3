import type { Connection, PoolClient, Submittable } from 'pg'

/** A statement with its holes filled; one with a name is prepared once per connection. */
export type BoundStatement = { name: string | null; text: string; values: (string | null)[] }

/** The columns of a statement's one row, as text; null where SQL's null is. */
export type Columns = readonly (string | null)[]

/** The result of a round trip; `failed` is the statement that failed, undefined if the commit did. */
export type Outcome<F extends BoundStatement> =
  | { ok: true; rows: readonly Columns[] }
  | { ok: false; reason: unknown; failed: F | undefined }

/**
 * Sends statements in one packet that ends in one Sync, and reads one row of each. Postgres runs everything
 * before a Sync as one transaction: it commits at the Sync, and if a statement fails, undoes what came before
 * and skips the rest.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export function roundTrip<F extends BoundStatement>(
  client: PoolClient,
  statements: readonly F[],
  done: (outcome: Outcome<F>) => void,
): void {
  client.query(new RoundTrip(statements, done))
}

/** A smaller version of pg's Query: it requests no description of the columns, because all are text. */
class RoundTrip<F extends BoundStatement> implements Submittable {
  readonly #statements: readonly F[]
  readonly #done: (outcome: Outcome<F>) => void
  readonly #rows: Columns[] = []
  #row: Columns = []
  #prepared: Set<string> = new Set()

  constructor(statements: readonly F[], done: (outcome: Outcome<F>) => void) {
    this.#statements = statements
    this.#done = done
  }

  submit(connection: Connection) {
    this.#prepared = preparedNames(connection)
    connection.stream.cork()
    for (const { name, text, values } of this.#statements) {
      if (name === null) connection.parse({ name: '', text, types: [] }, true)
      else if (!this.#prepared.has(name)) this.#prepare(connection, name, text)
      connection.bind({ statement: name ?? '', values }, true)
      connection.execute(null, true)
    }
    connection.sync()
    connection.stream.uncork()
  }

  #prepare(connection: Connection, name: string, text: string) {
    // It may exist from a round trip that failed. Closing one that does not exist is no error.
    connection.close({ type: 'S', name }, true)
    connection.parse({ name, text, types: [] }, true)
    this.#prepared.add(name)
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
    for (const { name } of undone) if (name !== null) this.#prepared.delete(name)
    this.#done({ ok: false, reason, failed: undone[0] })
  }
}

const prepared = new WeakMap<Connection, Set<string>>()

function preparedNames(connection: Connection): Set<string> {
  const known = prepared.get(connection) ?? new Set<string>()
  prepared.set(connection, known)
  return known
}
