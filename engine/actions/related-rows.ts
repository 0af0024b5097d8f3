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
 * Fills the holes of an answer with rows of the database, by one statement for each selected relationship,
 * however many objects have it.
 */
export async function fillPlaceholders(
  pool: Pool,
  pieces: readonly OutputPart[],
  bindings: Bindings,
): Promise<string> {
  const holes = pieces.filter((piece) => typeof piece !== 'string')
  const texts = new Map<RelatedRowsPlaceholder, string>()
  for (const field of new Set(holes.map((hole) => hole.field))) {
    const same = holes.filter((hole) => hole.field === field)
    const answers = await queryRelatedRows(pool, field, same, bindings)
    for (const [i, hole] of same.entries()) texts.set(hole, answers[i] ?? 'null')
  }
  return pieces.map((piece) => (typeof piece === 'string' ? piece : texts.get(piece))).join('')
}

async function queryRelatedRows(
  pool: Pool,
  field: RelatedField,
  holes: readonly RelatedRowsPlaceholder[],
  bindings: Bindings,
): Promise<string[]> {
  const { text, parameters } = relatedRowsStatement(field)
  const owners = JSON.stringify(
    holes.map(({ owner }, i) => ({ ...joinKeys(field, owner), [NUMBER]: i })),
  )
  const values = parameters.map((one) => (one === OWNERS ? owners : one.read(bindings)))
  const { rows } = await pool.query<{ answer: string }>(text, values).catch((thrown: unknown) => {
    throw translatePostgresError(thrown, { path: '$', text, values })
  })
  return rows.map(({ answer }) => answer)
}

/** The fields of an object that the relationship joins on: the database is sent nothing else. */
function joinKeys({ relationship }: RelatedField, owner: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(relationship.mapping.map(({ field }) => [field, owner[field] ?? null]))
}

/** The key of an object's number. No field can have this name, because it contains a space. */
const NUMBER = 'row number'

/** The parameter that takes the handler's objects. */
const OWNERS: Parameter = { type: builtInType('json'), read: () => null }

const statements = new WeakMap<RelatedField, Statement>()

function relatedRowsStatement(field: RelatedField): Statement {
  const known = statements.get(field)
  if (known) return known
  const fresh = printRelatedRows(field)
  statements.set(field, fresh)
  return fresh
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
