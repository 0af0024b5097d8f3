import { DatabaseError, type Pool } from 'pg'
import { z } from 'zod'
import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import {
  logicalModelColumnType,
  splitAtArguments,
  typeByName,
} from '../../../compiler/model/functions/native-queries.ts'
import { typeName } from '../../../compiler/sql/typed.ts'
import { EngineError } from '../../../errors.ts'
import { ownValue } from '../../../json/own-value.ts'
import { quotedNames } from '../../../json/quoted-names.ts'
import { NativeQuery, type NativeQueryMetadata } from '../../../metadata/native-queries.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import { compileSql, ident } from '../../../postgres/sql.ts'
import type { Engine } from '../../../runtime/engine.ts'
import { databaseFault } from '../database-fault.ts'
import { hasuraTypeName } from '../type-names.ts'

const TrackArgs = NativeQuery.extend({ source: z.string() })

/**
 * Prepares a native query in the database, and checks that it returns the columns of its logical model, with their types.
 *
 * @throws validation-failed if an argument is undeclared, the database rejects the query, or a type differs
 */
export async function prepareNativeQuery(engine: Engine, args: unknown): Promise<void> {
  const { source, code, arguments: declared, returns } = parseArgs(TrackArgs, args)
  const names = Object.keys(declared)
  const pieces = splitAtArguments(code)
  const usedNames = pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.argument]))
  const undeclared = [...new Set(usedNames)].filter((name) => !ownValue(declared, name))
  if (undeclared.length > 0)
    throw invalidQueryError(`Undeclared arguments: ${quotedNames(undeclared)}`)
  const query = pieces
    .map((piece) => (typeof piece === 'string' ? piece : `$${names.indexOf(piece.argument) + 1}`))
    .join('')
  const types = Object.values(declared).map(
    ({ type }) => compileSql(typeName(typeByName(type))).text,
  )
  const fields = logicalModelFields(engine, source, returns)
  const columns = fields.map(({ name }) => compileSql(ident(name)).text)
  const parameters = types.length > 0 ? `(${types.join(', ')})` : ''
  const statement = `prepare ${STATEMENT_NAME} ${parameters} as with query as (${query}) select ${columns.join(', ') || '1'} from query`
  const actual = await preparedTypes(engine.sourcePool(source), statement, types.length)
  for (const [i, { name, type }] of fields.entries()) {
    const expected = logicalModelColumnType(type).name
    const actualType = requireValue(actual[i], `the type of column ${name}`)
    // The type of an object is not compared, because its column may contain JSON or a composite value.
    const isObject = (type.scalar ?? type.array?.scalar) === undefined
    if (isObject || expected === actualType) continue
    const mismatch = `Return column '${name}' has a type mismatch. The expected type is '${hasuraTypeName(expected)}', but the actual type is '${hasuraTypeName(actualType)}'.`
    throw invalidQueryError(FAILED, mismatch)
  }
}

const STATEMENT_NAME = 'engine_native_query'
const FAILED = 'Failed to validate query'

function logicalModelFields(
  { schemaCache }: Engine,
  sourceName: string,
  model: NativeQueryMetadata['returns'],
) {
  if (typeof model !== 'string') return model.fields
  const source = schemaCache().metadata.sources.find(({ name }) => name === sourceName)
  return source?.logical_models.find(({ name }) => name === model)?.fields ?? []
}

/**
 * Prepares the statement, and creates an empty temporary table from it to read the types of its columns.
 */
async function preparedTypes(pool: Pool, statement: string, parameters: number) {
  const client = await pool.connect()
  // The extended protocol rejects a text with several statements.
  const one = { text: statement, queryMode: 'extended' }
  const values = parameters > 0 ? `(${Array(parameters).fill('null').join(', ')})` : ''
  try {
    await client.query('begin')
    await client.query(one)
    await client.query(
      `create temporary table ${STATEMENT_NAME} on commit drop as execute ${STATEMENT_NAME} ${values} with no data`,
    )
    const { rows } = await client.query<{ type: string }>(COLUMN_TYPES)
    return rows.map(({ type }) => type)
  } catch (cause) {
    throw cause instanceof DatabaseError
      ? invalidQueryError(FAILED, databaseFault(statement, cause))
      : cause
  } finally {
    // Closing the connection removes the prepared statement and the temporary table.
    client.release(true)
  }
}

const COLUMN_TYPES = `
select t.typname as type
from pg_attribute a join pg_type t on t.oid = a.atttypid
where a.attrelid = 'pg_temp.${STATEMENT_NAME}'::regclass and a.attnum > 0
order by a.attnum`

function invalidQueryError(message: string, internal?: unknown): EngineError {
  return new EngineError('validation-failed', message, { path: '$.args', internal })
}
