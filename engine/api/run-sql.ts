import { DatabaseError, type PoolClient, type QueryArrayResult } from 'pg'
import { z } from 'zod'
import { EngineError } from '../errors.ts'
import { type Carry, parseArgs } from './command.ts'

const Args = z.object({
  sql: z.string(),
  source: z.string().default('default'),
  cascade: z.boolean().default(false),
  read_only: z.boolean().default(false),
  check_metadata_consistency: z.boolean().nullish(),
})

/** `run_sql`: any number of statements in one transaction; answers what the last one gave, all as text. */
export const runSql: Carry = async ({ args }, { services: { engine, store } }) => {
  const { sql, read_only, check_metadata_consistency } = parseArgs(Args, args)
  const client = await engine.pool.connect()
  let broken = false
  try {
    const result = await inTransaction(client, sql, read_only)
    if (check_metadata_consistency ?? (!read_only && CHANGES_TABLES.test(sql))) {
      await engine.reload()
      await store.touch()
    }
    return answer(result)
  } catch (cause) {
    broken = !(cause instanceof EngineError)
    throw cause
  } finally {
    client.release(broken)
  }
}

/** Statements after which tables may no longer be what the metadata says. */
const CHANGES_TABLES = /\b(alter|drop|replace|create function|comment on)\b/i

async function inTransaction(client: PoolClient, sql: string, readOnly: boolean) {
  try {
    await client.query(readOnly ? 'begin read only' : 'begin')
    const result = await client.query(textRows(sql))
    await client.query('commit')
    return result
  } catch (cause) {
    await client.query('rollback')
    throw cause instanceof DatabaseError ? failed(sql, cause) : cause
  } finally {
    await client.query('reset all')
  }
}

/** Everything as the server prints it, rows as arrays. */
function textRows(text: string) {
  const types = { getTypeParser: () => (value: unknown) => value }
  return { text, rowMode: 'array' as const, types }
}

type Row = readonly (string | null)[]

/** Several statements give several results, of which the last counts. */
function answer(
  result: QueryArrayResult<(string | null)[]> | readonly QueryArrayResult<(string | null)[]>[],
) {
  const last = Array.isArray(result) ? result.at(-1) : result
  if (!last || last.fields.length === 0) return { result_type: 'CommandOk', result: null }
  const names = last.fields.map(({ name }: { name: string }) => name)
  const rows = last.rows.map((row: Row) => row.map((value) => value ?? 'NULL'))
  return { result_type: 'TuplesOk', result: [names, ...rows] }
}

function failed(statement: string, cause: DatabaseError): EngineError {
  const error = {
    exec_status: 'FatalError',
    hint: cause.hint ?? null,
    message: cause.message,
    status_code: cause.code,
    description: cause.detail ?? null,
  }
  const internal = { statement, prepared: false, error, arguments: [] }
  return new EngineError('postgres-error', 'query execution failed', {
    path: '$.args',
    status: 400,
    internal,
    cause,
  })
}
