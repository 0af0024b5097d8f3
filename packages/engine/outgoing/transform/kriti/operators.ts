import { isList, isRecord } from '../../../json/record.ts'
import { type Evaluation, wrongType } from './evaluation.ts'
import type { Expression, Operator } from './syntax.ts'
import { compareValues } from './values.ts'

type Operation = Extract<Expression, { kind: 'operation' }>

/** Applies an operator, except `??`, to the values of both sides. @throws TemplateError, BudgetExceeded */
export function applyOperator(
  operation: Operation,
  [left, right]: readonly [unknown, unknown],
  evaluation: Evaluation,
): unknown {
  const compares = COMPARISONS.get(operation.operator)
  if (compares) return compares(compareValues(left, right, evaluation.budget))
  if (operation.operator === 'in') return isMember(left, right, operation, evaluation)
  for (const value of [right, left])
    if (typeof value !== 'boolean') throw wrongType(evaluation, operation, value, 'Boolean')
  return operation.operator === '&&' ? left && right : left || right
}

const COMPARISONS: ReadonlyMap<Operator, (order: number) => boolean> = new Map<
  Operator,
  (order: number) => boolean
>([
  ['==', (order) => order === 0],
  ['!=', (order) => order !== 0],
  ['<', (order) => order < 0],
  ['>', (order) => order > 0],
  ['<=', (order) => order <= 0],
  ['>=', (order) => order >= 0],
])

/** Reports whether a list has the item, or an object has the key. */
function isMember(
  item: unknown,
  container: unknown,
  operation: Operation,
  evaluation: Evaluation,
): boolean {
  if (isList(container))
    return container.some((member) => compareValues(item, member, evaluation.budget) === 0)
  if (!isRecord(container)) throw wrongType(evaluation, operation, container, 'Array')
  if (typeof item !== 'string') throw wrongType(evaluation, operation, item, 'String')
  return Object.hasOwn(container, item)
}
