import type { Pool } from 'pg'
import type { Bindings, Parameter, Shape } from '../../compiler/ir/ir.ts'
import type { Column } from '../../compiler/model/model.ts'
import { outermostScope } from '../../compiler/sql/scope.ts'
import { printShape } from '../../compiler/sql/select.ts'
import { parameterOf, type Statement } from '../../compiler/sql/statement.ts'
import { typeName } from '../../compiler/sql/typed.ts'
import { builtInType } from '../../postgres/scalars.ts'
import { compileSql, ident, joinSql, sql } from '../../postgres/sql.ts'
import { translatePostgresError } from './postgres-errors.ts'

/** Rows that belong to an object from outside the database, because columns of the rows equal fields of the object. */
export type RelatedRows = {
  mapping: readonly { field: string; column: Column }[]
  shape: Shape
}

/**
 * Reads the related rows of each object as JSON text, with one statement. Null for an object relationship without a row.
 *
 * @param owners the objects; only the fields of the mapping are sent to the database
 */
export async function readRelatedRows(
  pool: Pool,
  related: RelatedRows,
  owners: readonly Readonly<Record<string, unknown>>[],
  bindings: Bindings,
): Promise<(string | null)[]> {
  const { text, parameters } = relatedRowsStatement(related)
  const ownersJson = JSON.stringify(
    owners.map((owner, i) => ({ ...joinKeys(related, owner), [NUMBER]: i })),
  )
  const values = parameters.map((parameter) =>
    parameter === OWNERS ? ownersJson : parameter.read(bindings),
  )
  const { rows } = await pool.query<AnswerRow>(text, values).catch((thrown: unknown) => {
    throw translatePostgresError(thrown, { path: '$', text, values })
  })
  return rows.map(({ answer }) => answer)
}

/** Reads the values of the statement's parameters. @throws EngineError for the first wrong value */
export function readRelatedParameters(related: RelatedRows, bindings: Bindings): void {
  for (const { read } of relatedRowsStatement(related).parameters) read(bindings)
}

type AnswerRow = { answer: string | null }

function joinKeys({ mapping }: RelatedRows, owner: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(mapping.map(({ field }) => [field, owner[field] ?? null]))
}

/** The key of each object's number, for sorting. Because of the space, no field can have this name. */
const NUMBER = 'row number'

/** The parameter that contains the objects as JSON. */
const OWNERS: Parameter = { type: builtInType('json'), read: () => null }

const statements = new WeakMap<Shape, Statement>()

function relatedRowsStatement(related: RelatedRows): Statement {
  const cached = statements.get(related.shape)
  if (cached) return cached
  const statement = printRelatedRows(related)
  statements.set(related.shape, statement)
  return statement
}

function printRelatedRows({ mapping, shape }: RelatedRows): Statement {
  const scope = outermostScope()
  const columns = mapping.map(({ field, column }) => sql`${ident(field)} ${typeName(column.type)}`)
  const columnList = joinSql([...columns, sql`${ident(NUMBER)} int`], ', ')
  const { text, values } = compileSql(sql`select (${printShape(shape, scope)})::text as answer
from json_to_recordset(${OWNERS}::json) as ${scope.row} (${columnList})
order by ${scope.row}.${ident(NUMBER)}`)
  return { text, parameters: values.map(parameterOf) }
}
