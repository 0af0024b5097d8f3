import { Kind } from 'graphql/language/index.js'
import { isNumeral } from '../../../../../lib/runtime/exact-json.ts'
import { validationError } from '../../../errors.ts'
import type { Variables } from '../decision.ts'
import { describeInput } from '../document/describe-input.ts'
import { describeValue } from '../document/describe-value.ts'
import type { Input } from '../document/input.ts'
import { literalValue, variableValue } from '../document/literal.ts'
import type { Planner } from '../planner.ts'

/**
 * Plans a text that is read for each run, so that requests with different texts share the plan.
 *
 * @throws validation-failed for any other value
 */
export function planText(planner: Planner, input: Input): (variables: Variables) => string {
  return planRead(planner, input, (value, description) => {
    if (typeof value === 'string') return value
    throw validationError(
      input.path,
      `expected a string for type 'String', but found ${description}`,
    )
  })
}

/** Plans an `ID`, which may also be an integer. @throws validation-failed for any other value */
export function planId(planner: Planner, input: Input): (variables: Variables) => string {
  return planRead(planner, input, (value, description) => {
    if (typeof value === 'string') return value
    if (isNumeral(value) && Number.isInteger(Number(value))) return String(value)
    const expected = "expected a String or a 32-bit integer for type 'ID'"
    throw validationError(input.path, `${expected}, but found ${description}`)
  })
}

const LITERALS: ReadonlySet<Kind> = new Set([Kind.STRING, Kind.INT])

type Check = (value: unknown, description: string) => string

function planRead(planner: Planner, input: Input, check: Check) {
  if (input.kind !== 'variable') {
    const isTextOrInteger = input.kind === 'literal' && LITERALS.has(input.node.kind)
    const text = check(
      isTextOrInteger ? literalValue(input.node, {}) : null,
      describeInput(planner, input),
    )
    return () => text
  }
  check(variableValue(input, planner.variables), describeInput(planner, input))
  return (variables: Variables) => {
    const value = variableValue(input, variables)
    return check(value, describeValue(value))
  }
}
