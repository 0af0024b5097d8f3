import type { Parameter, Root, Shape } from '../plan/ir.ts'
import { printAnswer, printChange, printStep } from './change.ts'
import { outermost } from './scope.ts'
import { printShape } from './select.ts'
import { TELL_SESSION } from './session.ts'
import { compile, join, type Sql, sql } from './sql.ts'

/** A statement with holes: the text is constant, the parameters are read anew for each run. */
export type Statement = { text: string; parameters: readonly Parameter[] }

/** One statement that answers several root fields, one column of JSON text each. */
export function selectStatement(shapes: readonly Shape[]): Statement {
  const scope = outermost()
  const columns = shapes.map((shape) => sql`(${printShape(shape, scope)})::text`)
  return statement(sql`select ${join(columns, ', ')}`)
}

/** The statements of a mutation's root field, in order; the last one's first column is the answer. */
export function rootStatements(root: Root): readonly Statement[] {
  switch (root.kind) {
    case 'select':
      return [selectStatement([root.shape])]
    case 'change':
      return [statement(printChange(root))]
    case 'steps':
      return [
        ...root.steps.map((step) => statement(printStep(step))),
        statement(printAnswer(root.output, root.from, root.steps)),
      ]
  }
}

/** Says who asks, for the statements after it. */
export const sessionStatement: Statement = statement(sql`select ${TELL_SESSION}`)

function statement(printed: Sql): Statement {
  const { text, values } = compile(printed)
  return { text, parameters: values.map(parameterOf) }
}

/** A hole of a statement. */
export function parameterOf(value: unknown): Parameter {
  if (isParameter(value)) return value
  throw new TypeError('a statement holds a value that is not a parameter')
}

/** Narrows to a hole. */
export function isParameter(value: unknown): value is Parameter {
  return typeof value === 'object' && value !== null && 'read' in value && 'type' in value
}
