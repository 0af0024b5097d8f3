import { DatabaseError } from 'pg'
import type { Engine } from '../engine.ts'
import { EngineError } from '../errors.ts'
import { NativeQuery } from '../metadata/native-queries.ts'
import { piecesOf, scalarType } from '../model/native-queries.ts'
import { own } from '../own.ts'
import { quotedList } from '../quoted-list.ts'
import { typeName } from '../sql/expression.ts'
import { compile, ident } from '../sql/sql.ts'
import { databaseFault } from './database-fault.ts'
import { parseArgs } from './parse-args.ts'

/**
 * Has the database prepare a native query, with the columns that its logical model promises.
 *
 * @throws validation-failed with what the database says of it
 */
export async function tryNativeQuery(engine: Engine, args: unknown): Promise<void> {
  const { code, arguments: declared, returns } = parseArgs(NativeQuery, args)
  const names = Object.keys(declared)
  const pieces = piecesOf(code)
  const used = pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.argument]))
  const undeclared = [...new Set(used)].filter((name) => !own(declared, name))
  if (undeclared.length > 0) throw invalid(`Undeclared arguments: ${quotedList(undeclared)}`)
  const query = pieces
    .map((piece) => (typeof piece === 'string' ? piece : `$${names.indexOf(piece.argument) + 1}`))
    .join('')
  const types = Object.values(declared).map(({ type }) => compile(typeName(scalarType(type))).text)
  const columns = columnsOf(engine, returns).map((name) => compile(ident(name)).text)
  const parameters = types.length > 0 ? `(${types.join(', ')})` : ''
  await prepare(
    engine,
    `prepare ${NAME} ${parameters} as with query as (${query}) select ${columns.join(', ') || '1'} from query`,
  )
}

const NAME = 'engine_native_query'

function columnsOf({ snapshot }: Engine, model: string): string[] {
  const { sources } = snapshot().metadata
  const found = sources
    .flatMap((source) => source.logical_models)
    .find(({ name }) => name === model)
  return (found?.fields ?? []).map(({ name }) => name)
}

async function prepare({ pool }: Engine, statement: string) {
  const client = await pool.connect()
  // Of what could be several statements the extended protocol takes one only.
  const one = { text: statement, queryMode: 'extended' }
  try {
    await client.query(one)
    await client.query(`deallocate ${NAME}`)
  } catch (cause) {
    throw cause instanceof DatabaseError
      ? invalid('Failed to validate query', databaseFault(statement, cause))
      : cause
  } finally {
    client.release()
  }
}

function invalid(message: string, internal?: object): EngineError {
  return new EngineError('validation-failed', message, { path: '$.args', internal })
}
