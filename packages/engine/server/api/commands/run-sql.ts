import { DatabaseError, type Pool, type PoolClient, type QueryArrayResult } from 'pg'
import { z } from 'zod'
import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import { ISOLATION_IN_SQL, type IsolationLevel } from '../../../config/answer-settings.ts'
import { EngineError } from '../../../errors.ts'
import { allowInconsistent } from '../../../metadata-store/consistency-rules.ts'
import type { MetadataDocument } from '../../../metadata-store/edit/metadata-document.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import { followSchemaChange } from '../../../metadata-store/follow-schema/schema-change.ts'
import { refuseInMaintenance } from '../../../metadata-store/metadata-store.ts'
import { readCatalog } from '../../../postgres/catalog.ts'
import type { AuthenticatedRequest } from '../../http/authenticated-endpoint.ts'
import type { EngineServices } from '../../http/endpoint.ts'
import type { Command, CommandRequest } from '../command.ts'
import { databaseFault } from '../database-fault.ts'

/** The commands of /v2/query. */
export const sqlCommands: readonly Command[] = [
  { type: 'run_sql', run: runSqlCommand },
  { type: 'pg_run_sql', run: runSqlCommand },
]

const SqlArgs = z.object({
  sql: z.string(),
  source: z.string().default('default'),
  cascade: z.boolean().default(false),
  read_only: z.boolean().default(false),
  check_metadata_consistency: z.boolean().nullish(),
  no_transaction: z.boolean().default(false),
})

/**
 * `run_sql`: runs statements in one transaction, and returns the last statement's result, with all values as text. With
 * `no_transaction`, begins no transaction, for a statement that cannot run in one. `read_only` overrides this.
 *
 * If the statements change tables, the metadata follows: it gets the new names of objects, and loses dropped objects.
 *
 * @throws dependency-error if an object of the metadata depends on a dropped object, and `cascade` is not set. The statements are
 *   then rolled back, unless they ran without a transaction.
 */
async function runSqlCommand(
  { args }: CommandRequest,
  { services: { engine, store } }: AuthenticatedRequest,
) {
  const sqlArgs = parseArgs(SqlArgs, args)
  const { sql, source, cascade, read_only, check_metadata_consistency } = sqlArgs
  const follows = !read_only && (check_metadata_consistency ?? CHANGES_TABLES.test(sql))
  const { isolation } = engine.schemaCache().source(source)
  if (follows) refuseInMaintenance(engine)
  const { result, changed } = await runOnNewConnection(engine.sourcePool(source), (client) =>
    runInTransaction(client, sql, {
      begin: beginStatement(sqlArgs, isolation),
      act: follows ? () => runAndFollow(client, sql, { engine, store, source, cascade }) : null,
    }),
  )
  // Consistency was already checked, before the transaction was committed.
  if (changed) await store.change(() => changed, allowInconsistent)
  else if (follows) {
    await engine.reload()
    await store.touch()
  }
  return resultAnswer(result)
}

/** The result of a statement, with rows as arrays. */
type StatementResult = QueryArrayResult<(string | null)[]>
type Result = StatementResult | readonly StatementResult[]
type Outcome = { result: Result; changed: MetadataDocument | null }

/**
 * Runs `work` on a connection, and then closes the connection, because the statements may have left a role, locks or temporary
 * tables on it.
 */
async function runOnNewConnection(
  pool: Pool,
  work: (client: PoolClient) => Promise<Outcome>,
): Promise<Outcome> {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release(true)
  }
}

type RunSqlContext = Pick<EngineServices, 'engine' | 'store'> & { source: string; cascade: boolean }

/** Runs the statements, and computes the metadata for the changed tables. `changed` is null if the metadata stays the same. */
async function runAndFollow(
  client: PoolClient,
  sql: string,
  { engine, store, source, cascade }: RunSqlContext,
): Promise<Outcome> {
  const { document } = store.current()
  const { sources } = engine.schemaCache().metadata
  const metadata = requireValue(
    sources.find(({ name }) => name === source),
    'the metadata of a source',
  )
  const before = await readCatalog(client, metadata)
  const result = await client.query(textQuery(sql))
  const after = await readCatalog(client, metadata)
  const newDocument = followSchemaChange(engine, { source, document, before, after, cascade })
  return {
    result,
    changed: JSON.stringify(newDocument) === JSON.stringify(document) ? null : newDocument,
  }
}

/** Matches statements that may change the database's schema. After them, the metadata and the plans must be updated. */
const CHANGES_TABLES =
  /\b(alter|drop|replace|create\s+(function|(constraint\s+)?trigger)|inherits|comment\s+on)\b/i

/**
 * Returns the statement that begins the transaction; null for none. `read_only` needs a transaction, even with `no_transaction`.
 */
function beginStatement(
  { read_only, no_transaction }: z.infer<typeof SqlArgs>,
  isolation: IsolationLevel,
): string | null {
  if (no_transaction && !read_only) return null
  return `begin isolation level ${ISOLATION_IN_SQL[isolation]}${read_only ? ' read only' : ''}`
}

type Transaction = {
  /** The statement that begins the transaction; null for none. */
  begin: string | null
  act: (() => Promise<Outcome>) | null
}

async function runInTransaction(
  client: PoolClient,
  sql: string,
  { begin, act }: Transaction,
): Promise<Outcome> {
  try {
    if (begin) await client.query(begin)
    const outcome = act
      ? await act()
      : { result: await client.query(textQuery(sql)), changed: null }
    if (isEmpty(outcome.result)) throw emptyStatementError(sql)
    if (begin) await client.query('commit')
    return outcome
  } catch (cause) {
    throw cause instanceof DatabaseError ? failedStatementError(sql, cause) : cause
  }
}

/** Creates a query that returns rows as arrays, and values as text. */
function textQuery(text: string) {
  const types = { getTypeParser: () => (value: unknown) => value }
  return { text, rowMode: 'array' as const, types }
}

/** Returns the response for a result. Of several statements, uses the last result. */
function resultAnswer(result: Result) {
  const last = isList(result) ? result.at(-1) : result
  if (!last || last.fields.length === 0) return { result_type: 'CommandOk', result: null }
  const names = last.fields.map(({ name }) => name)
  const rows = last.rows.map((row) => row.map((value) => value ?? 'NULL'))
  return { result_type: 'TuplesOk', result: [names, ...rows] }
}

/** True if the text had no statement: the server then reports no command. */
function isEmpty(result: Result): boolean {
  return !isList(result) && !result.command
}

/** Narrows the type; `Array.isArray` does not do this for read-only lists. */
function isList(result: Result): result is readonly StatementResult[] {
  return Array.isArray(result)
}

function failedStatementError(statement: string, cause: DatabaseError): EngineError {
  return new EngineError('postgres-error', 'query execution failed', {
    path: '$',
    status: 400,
    internal: databaseFault(statement, cause),
    cause,
  })
}

/** Creates libpq's error for a text without a statement. */
function emptyStatementError(statement: string): EngineError {
  const error = {
    exec_status: 'EmptyQuery',
    hint: null,
    message: null,
    status_code: null,
    description: null,
  }
  return new EngineError('postgres-error', 'query execution failed', {
    path: '$',
    status: 400,
    internal: { statement, prepared: false, error, arguments: [] },
  })
}
