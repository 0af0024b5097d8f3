import type { Pool } from 'pg'
import { translatePostgresError } from '../database/postgres-errors.ts'
import type { Bindings, Parameter } from '../ir/ir.ts'
import { builtInType } from '../postgres/scalars.ts'
import { compileSql, ident, joinSql, sql } from '../postgres/sql.ts'
import { typeName } from '../sql/expression.ts'
import { outermostScope } from '../sql/scope.ts'
import { printShape } from '../sql/select.ts'
import { parameterOf, type Statement } from '../sql/statement.ts'
import type { OutputPart, RelatedField, RelatedRowsPlaceholder } from './render-output.ts'

/**
 * Fills the placeholders of an answer with rows of the database, by one statement for each selected relationship,
 * however many objects have it.
 */
export async function fillPlaceholders(
  pool: Pool,
  parts: readonly OutputPart[],
  bindings: Bindings,
): Promise<string> {
  const placeholders = parts.filter((part) => typeof part !== 'string')
  const texts = new Map<RelatedRowsPlaceholder, string>()
  for (const field of new Set(placeholders.map((placeholder) => placeholder.field))) {
    const ofField = placeholders.filter((placeholder) => placeholder.field === field)
    const answers = await queryRelatedRows(pool, field, ofField, bindings)
    for (const [i, placeholder] of ofField.entries()) texts.set(placeholder, answers[i] ?? 'null')
  }
  return parts.map((part) => (typeof part === 'string' ? part : texts.get(part))).join('')
}

/** The related rows of each placeholder as JSON text; null for an object relationship without a row. */
async function queryRelatedRows(
  pool: Pool,
  field: RelatedField,
  placeholders: readonly RelatedRowsPlaceholder[],
  bindings: Bindings,
): Promise<(string | null)[]> {
  const { text, parameters } = relatedRowsStatement(field)
  const owners = JSON.stringify(
    placeholders.map(({ owner }, i) => ({ ...joinKeys(field, owner), [NUMBER]: i })),
  )
  const values = parameters.map((parameter) =>
    parameter === OWNERS ? owners : parameter.read(bindings),
  )
  const { rows } = await pool.query<AnswerRow>(text, values).catch((thrown: unknown) => {
    throw translatePostgresError(thrown, { path: '$', text, values })
  })
  return rows.map(({ answer }) => answer)
}

type AnswerRow = { answer: string | null }

/** The fields of an object that the relationship joins on; nothing else of it is sent to the database. */
function joinKeys({ relationship }: RelatedField, owner: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(relationship.mapping.map(({ field }) => [field, owner[field] ?? null]))
}

/** The key under which each object has its number, for sorting. The space keeps it apart from fields' names. */
const NUMBER = 'row number'

/** The parameter for the handler's objects. */
const OWNERS: Parameter = { type: builtInType('json'), read: () => null }

const statements = new WeakMap<RelatedField, Statement>()

function relatedRowsStatement(field: RelatedField): Statement {
  const cached = statements.get(field)
  if (cached) return cached
  const printed = printRelatedRows(field)
  statements.set(field, printed)
  return printed
}

function printRelatedRows({ relationship, shape }: RelatedField): Statement {
  const scope = outermostScope()
  const columns = relationship.mapping.map(
    ({ field, column }) => sql`${ident(field)} ${typeName(column.type)}`,
  )
  const all = joinSql([...columns, sql`${ident(NUMBER)} int`], ', ')
  const { text, values } = compileSql(sql`select (${printShape(shape, scope)})::text as answer
from json_to_recordset(${OWNERS}::json) as ${scope.row} (${all})
order by ${scope.row}.${ident(NUMBER)}`)
  return { text, parameters: values.map(parameterOf) }
}
