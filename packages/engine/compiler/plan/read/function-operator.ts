import { validationError } from '../../../errors.ts'
import type { PgType } from '../../../postgres/catalog.ts'
import {
  type FunctionOperatorName,
  memberType,
  type Operand,
  operatorFunction,
  rightOperand,
} from '../../../postgres/postgis-operators.ts'
import { comparisonType } from '../../../postgres/scalars.ts'
import type { Predicate, Scalar } from '../../ir/ir.ts'
import { type Input, objectMember } from '../document/input.ts'
import { comparand, nullableScalar } from '../document/parameter.ts'
import type { Planner } from '../planner.ts'

/**
 * Plans a comparison by a function, for example `_st_contains`. The function gets the column, then the operand or the
 * operand's members.
 */
export function planFunctionOperator(
  planner: Planner,
  operator: FunctionOperatorName,
  left: Scalar,
  { value, type }: { value: Input; type: PgType },
): Predicate {
  const right = rightOperand(operator, type)
  if (right === null) throw validationError(value.path, `the type has no operator ${operator}`)
  const args =
    right === 'columnType'
      ? [comparand(planner, value, comparisonType(type))]
      : planOperands(planner, value, right.operands, type)
  const all = [left, ...args].map((arg) => ({ name: null, value: arg }))
  return { kind: 'callIsTrue', call: { ...operatorFunction(operator, type), args: all } }
}

/**
 * Plans the members of an operand. They are read in the order of the input object, and returned in the order of the
 * arguments.
 */
function planOperands(
  planner: Planner,
  input: Input,
  operands: readonly Operand[],
  column: PgType,
): Scalar[] {
  const member = objectMember(planner, input)
  return operands
    .map((operand) => ({
      place: operand.place,
      scalar: planOperand(planner, member(operand.name), operand, column),
    }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ scalar }) => scalar)
}

function planOperand(planner: Planner, input: Input, operand: Operand, column: PgType): Scalar {
  const { defaultText } = operand
  const type = memberType(operand, column)
  if (defaultText === undefined || (input.kind !== 'absent' && operand.type !== 'bool'))
    return comparand(planner, input, type)
  if (input.kind !== 'absent') return nullableScalar(planner, input, type)
  return { kind: 'parameter', parameter: { type, read: () => defaultText } }
}
