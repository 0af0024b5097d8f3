import { Kind } from 'graphql/language/index.js'
import type { Numeral } from '../../../../../lib/runtime/exact-json.ts'
import { isNumeral } from '../../../../../lib/runtime/exact-json.ts'
import { EngineError, validationError } from '../../../errors.ts'
import { integerText } from '../../../json/decimal.ts'
import { notWholeMessage } from '../../../postgres/accepted-value.ts'
import { builtInType } from '../../../postgres/scalars.ts'
import type { Scalar } from '../../ir/ir.ts'
import type { Variables } from '../decision.ts'
import type { Planner } from '../planner.ts'
import { describeInput } from './describe-input.ts'
import { describeValue } from './describe-value.ts'
import { constantValue, type Input, isCountPresent } from './input.ts'
import { variableValue } from './literal.ts'

/** Plans the argument `limit`. In GraphQL it is a 32-bit Int, in PostgreSQL a bigint. */
export function planLimit(planner: Planner, input: Input): Scalar | null {
  return planRowCount(planner, input, (value, fault) => {
    if (!isNumeral(value) || Number(value) < 0)
      throw fault("expected a non-negative 32-bit integer for type 'Int'")
    return wholeText(value, 32, input.path)
  })
}

/** Plans the argument `offset`, which may also be the text of a bigint. */
export function planOffset(planner: Planner, input: Input): Scalar | null {
  return planRowCount(planner, input, (value, fault) => {
    if (typeof value === 'string' && /^\d+$/.test(value)) return value
    if (isNumeral(value)) return wholeText(value, 64, input.path)
    throw fault(
      "expected a 32-bit integer, or a 64-bit integer represented as a string for type 'Int'",
    )
  })
}

type Count = (value: unknown, fault: (expected: string) => EngineError) => string

function planRowCount(planner: Planner, input: Input, count: Count): Scalar | null {
  if (!isCountPresent(planner, input)) return null
  const type = builtInType('int8')
  const fault = (description: string) => (expected: string) =>
    validationError(input.path, `${expected}, but found ${description}`)
  if (input.kind === 'variable') {
    // Reads the value once during planning, so that the first of several wrong values is reported.
    count(variableValue(input, planner.variables), fault(describeInput(planner, input)))
    const readCount = (variables: Variables) => {
      const value = variableValue(input, variables)
      return count(value, fault(describeValue(value)))
    }
    return { kind: 'parameter', parameter: { type, read: ({ variables }) => readCount(variables) } }
  }
  const value = constantValue(planner, input)
  const isFloat = input.kind === 'literal' && input.node.kind === Kind.FLOAT
  const text = count(isFloat ? null : value, fault(describeInput(planner, input)))
  return { kind: 'integer', value: BigInt(text) }
}

function wholeText(value: Numeral, bits: 16 | 32 | 64, path: string): string {
  const text = integerText(value, bits)
  if (text === null) throw new EngineError('parse-failed', notWholeMessage(value), { path })
  return text
}
