import { DatabaseError, type PoolClient, type QueryArrayResult } from 'pg'
import { z } from 'zod'
import { readCatalog } from '../catalog.ts'
import type { Engine } from '../engine.ts'
import { EngineError } from '../errors.ts'
import type { Services } from '../http/exchange.ts'
import type { Carry } from './command.ts'
import { databaseFault } from './database-fault.ts'
import type { Document } from './document.ts'
import { anything } from './judges.ts'
import { parseArgs } from './parse-args.ts'
import { followSchema } from './schema-change.ts'

const Args = z.object({
  sql: z.string(),
  source: z.string().default('default'),
  cascade: z.boolean().default(false),
  read_only: z.boolean().default(false),
  check_metadata_consistency: z.boolean().nullish(),
  no_transaction: z.boolean().default(false),
})

/**
 * `run_sql`: any number of statements in one transaction, or one statement that must be in none; answers what
 * the last one gave, all as text.
 *
 * Where they change tables the metadata follows: new names are taken over, what is gone is forgotten.
 *
 * @throws dependency-error when something in the metadata depends on what is gone, unless `cascade` drops it
 *   too; nothing has happened then
 */
export const runSql: Carry = async ({ args }, { services: { engine, store } }) => {
  const given = parseArgs(Args, args)
  const { sql, source, cascade, read_only, check_metadata_consistency } = given
  if (source !== 'default') throw noSource(source)
  const follows = !read_only && (check_metadata_consistency ?? CHANGES_TABLES.test(sql))
  const { result, changed } = await onClient(engine, (client) =>
    inTransaction(client, sql, {
      begin: beginning(given),
      act: follows ? () => following(client, sql, { engine, store, cascade }) : null,
    }),
  )
  // The transaction has judged already.
  if (changed) await store.change(() => changed, anything)
  else if (follows) {
    await engine.reload()
    await store.touch()
  }
  return answer(result)
}

type Result = QueryArrayResult<(string | null)[]> | readonly QueryArrayResult<(string | null)[]>[]
type Outcome = { result: Result; changed: Document | null }

/** Nobody else gets the session: a role, locks, temporary tables or prepared statements may be left in it. */
async function onClient(
  { pool }: Engine,
  work: (client: PoolClient) => Promise<Outcome>,
): Promise<Outcome> {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release(true)
  }
}

type Surroundings = Pick<Services, 'engine' | 'store'> & { cascade: boolean }

/** Runs the statements, and finds the metadata that fits what they leave; null when it is the same. */
async function following(
  client: PoolClient,
  sql: string,
  { engine, store, cascade }: Surroundings,
): Promise<Outcome> {
  const { document } = store.current()
  const { metadata } = engine.snapshot()
  const before = await readCatalog(client, metadata)
  const result = await client.query(textRows(sql))
  const after = await readCatalog(client, metadata)
  const next = followSchema(engine, { document, before, after, cascade })
  return { result, changed: JSON.stringify(next) === JSON.stringify(document) ? null : next }
}

function noSource(source: string): EngineError {
  return new EngineError('not-exists', `source with name "${source}" does not exist`, {
    path: '$.args.source',
  })
}

/** Statements after which tables may no longer be what the metadata and the plans take them for. */
const CHANGES_TABLES =
  /\b(alter|drop|replace|create\s+(function|(constraint\s+)?trigger)|inherits|comment\s+on)\b/i

/** That nothing is written only a transaction can promise. */
function beginning({ read_only, no_transaction }: z.infer<typeof Args>): string | null {
  if (read_only) return 'begin read only'
  return no_transaction ? null : 'begin'
}

type Transaction = {
  /** What goes before the statements, if they are in a transaction of ours. */
  begin: string | null
  act: (() => Promise<Outcome>) | null
}

async function inTransaction(
  client: PoolClient,
  sql: string,
  { begin, act }: Transaction,
): Promise<Outcome> {
  try {
    if (begin) await client.query(begin)
    const outcome = act ? await act() : { result: await client.query(textRows(sql)), changed: null }
    if (begin) await client.query('commit')
    return outcome
  } catch (cause) {
    throw cause instanceof DatabaseError ? failed(sql, cause) : cause
  }
}

/** Everything as the server prints it, rows as arrays. */
function textRows(text: string) {
  const types = { getTypeParser: () => (value: unknown) => value }
  return { text, rowMode: 'array' as const, types }
}

type Row = readonly (string | null)[]

/** Several statements give several results, of which the last counts. */
function answer(result: Result) {
  const last = Array.isArray(result) ? result.at(-1) : result
  if (!last || last.fields.length === 0) return { result_type: 'CommandOk', result: null }
  const names = last.fields.map(({ name }: { name: string }) => name)
  const rows = last.rows.map((row: Row) => row.map((value) => value ?? 'NULL'))
  return { result_type: 'TuplesOk', result: [names, ...rows] }
}

function failed(statement: string, cause: DatabaseError): EngineError {
  return new EngineError('postgres-error', 'query execution failed', {
    path: '$.args',
    status: 400,
    internal: databaseFault(statement, cause),
    cause,
  })
}
