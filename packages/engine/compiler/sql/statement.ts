import { compileSql, joinSql, type Sql, sql } from '../../postgres/sql.ts'
import type { Parameter, Root, Shape } from '../ir/ir.ts'
import type { Steps } from '../plan/steps.ts'
import { printChange, printKeptAnswer, printStep } from './change.ts'
import { printText } from './json-object.ts'
import { outermostScope, type Scope } from './scope.ts'
import { printRootShape } from './select.ts'
import { SET_SESSION } from './set-session.ts'

/** A statement: its text is constant, and its parameters are read for each run. */
export type Statement = { text: string; parameters: readonly Parameter[] }

/** A root field: `"alias":`, and the shape of its answer. */
export type KeyedShape = { key: string; shape: Shape }

/**
 * One statement that answers root fields:
 * each column is the JSON text of one of them, or of several with their keys.
 */
export function* selectStatement(columns: readonly (readonly KeyedShape[])[]): Steps<Statement> {
  const scope = outermostScope(true)
  const printed: Sql[] = []
  for (const fields of columns) {
    yield
    printed.push(printColumn(fields, scope))
  }
  yield
  return compileStatement(sql`select ${joinSql(printed, ', ')}`)
}

function printColumn(fields: readonly KeyedShape[], scope: Scope): Sql {
  const answers = fields.map(({ key, shape }) => ({
    key,
    answer: sql`(${printRootShape(shape, scope)})::text`,
  }))
  const [only, second] = answers
  return only && !second ? only.answer : joinedAnswers(answers)
}

/** The statement of one root field. */
export function shapeStatement(shape: Shape): Statement {
  const column = printColumn([{ key: '', shape }], outermostScope())
  return compileStatement(sql`select ${column}`)
}

/** Several root fields in one column. The key of the first is left out: it is written where the column goes. */
function joinedAnswers(answers: readonly { key: string; answer: Sql }[]): Sql {
  const members = answers.map(({ key, answer }, i) => {
    const text = sql`coalesce(${answer}, 'null')`
    return i === 0 ? text : sql`${printText(key)} || ${text}`
  })
  return sql`array_to_string(array[${joinSql(members, ', ')}], ',')`
}

/** The statements of a mutation's root field, in order; the last one's first column is the answer. */
export function rootStatements(root: Root): readonly Statement[] {
  switch (root.kind) {
    case 'select':
      return [shapeStatement(root.shape)]
    case 'change':
      return [compileStatement(printChange(root))]
    case 'steps':
      return [
        ...root.steps.map((step) => compileStatement(printStep(step))),
        compileStatement(printKeptAnswer(root.output, root.from, root.steps)),
      ]
  }
}

/** Sets the session for the statements after it. */
export const sessionStatement: Statement = compileStatement(sql`select ${SET_SESSION}`)

function compileStatement(printed: Sql): Statement {
  const { text, values } = compileSql(printed)
  return { text, parameters: values.map(parameterOf) }
}

/** The parameter of a statement that a fragment contains. @throws TypeError for any other value */
export function parameterOf(value: unknown): Parameter {
  if (isParameter(value)) return value
  throw new TypeError('a statement holds a value that is not a parameter')
}

/** Narrows to a parameter of a statement. */
export function isParameter(value: unknown): value is Parameter {
  return typeof value === 'object' && value !== null && 'read' in value && 'type' in value
}
