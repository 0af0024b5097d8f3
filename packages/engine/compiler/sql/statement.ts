import { compileSql, joinSql, type Sql, sql } from '../../postgres/sql.ts'
import type { Parameter, Root, Shape } from '../ir/ir.ts'
import type { Steps } from '../plan/steps.ts'
import { printChange, printSavedAnswer, printStep } from './change.ts'
import { printText } from './json-object.ts'
import { outermostScope, type Scope } from './scope.ts'
import { printRootShape } from './select.ts'
import { SET_SESSION } from './set-session.ts'

/** A statement: its text is constant, and its parameters are read for each run. */
export type Statement = { text: string; parameters: readonly Parameter[] }

/** A root field: the text `"alias":`, and the shape of its value. */
export type KeyedShape = { key: string; shape: Shape }

/**
 * Creates a statement for root fields. Each column is the JSON text of a single root field, or of several with their
 * keys.
 */
export function* selectStatement(columns: readonly (readonly KeyedShape[])[]): Steps<Statement> {
  const scope = outermostScope(true)
  const printedColumns: Sql[] = []
  for (const fields of columns) {
    yield
    printedColumns.push(printColumn(fields, scope))
  }
  yield
  return compileStatement(sql`select ${joinSql(printedColumns, ', ')}`)
}

function printColumn(fields: readonly KeyedShape[], scope: Scope): Sql {
  const values = fields.map(({ key, shape }) => ({
    key,
    value: sql`(${printRootShape(shape, scope)})::text`,
  }))
  const [first, second] = values
  return first && !second ? first.value : joinValues(values)
}

/** Creates the statement that reads a single root field. */
export function shapeStatement(shape: Shape): Statement {
  const column = printColumn([{ key: '', shape }], outermostScope())
  return compileStatement(sql`select ${column}`)
}

/**
 * Prints several root fields in a single column. The first key is left out, because the caller writes it before the
 * column.
 */
function joinValues(values: readonly { key: string; value: Sql }[]): Sql {
  const members = values.map(({ key, value }, i) => {
    const text = sql`coalesce(${value}, 'null')`
    return i === 0 ? text : sql`${printText(key)} || ${text}`
  })
  return sql`array_to_string(array[${joinSql(members, ', ')}], ',')`
}

/**
 * Creates the statements of a mutation's root field, in order. The first column of the last statement is the result.
 */
export function rootStatements(root: Root): readonly Statement[] {
  switch (root.kind) {
    case 'select':
      return [shapeStatement(root.shape)]
    case 'change':
      return [compileStatement(printChange(root))]
    case 'steps':
      return [
        ...root.steps.map((step) => compileStatement(printStep(step))),
        compileStatement(printSavedAnswer(root.output, root.from, root.steps)),
      ]
  }
}

/** The statement that sets the session variables for later statements of the transaction. */
export const sessionStatement: Statement = compileStatement(sql`select ${SET_SESSION}`)

function compileStatement(fragment: Sql): Statement {
  const { text, values } = compileSql(fragment)
  return { text, parameters: values.map(parameterOf) }
}

/** Narrows a value in a fragment to a parameter. @throws TypeError for any other value */
export function parameterOf(value: unknown): Parameter {
  if (isParameter(value)) return value
  throw new TypeError('a statement contains a value that is not a parameter')
}

/** Reports whether a value is a parameter of a statement. */
export function isParameter(value: unknown): value is Parameter {
  return typeof value === 'object' && value !== null && 'read' in value && 'type' in value
}
