import { Kind, print, type VariableDefinitionNode } from 'graphql/language/index.js'
import type { Config } from '../../../config/config.ts'
import { EngineError } from '../../../errors.ts'
import { inHashOrder } from '../../schema/hash-order.ts'
import type { Variables } from '../decision.ts'
import { literalValue } from './literal.ts'
import type { Operation } from './operation.ts'

type Settings = Pick<Config, 'nullInNonNullableVariables'>

/**
 * The variables of a request with their defaults filled in.
 *
 * @throws validation-failed for values of undeclared variables, and for missing or null ones that are required
 */
export function completeVariables(
  { node, used }: Operation,
  given: Variables,
  { nullInNonNullableVariables }: Settings,
): Variables {
  const definitions = node.variableDefinitions ?? []
  if (used.size === definitions.length && isComplete(definitions, given)) return given
  const unexpected = inHashOrder(
    Object.keys(given).filter((name) => !used.has(name)),
    (name) => name,
  )
  if (unexpected.length > 0)
    throw new EngineError(
      'validation-failed',
      `unexpected variables in variableValues: ${unexpected.join(', ')}`,
    )
  const complete = definitions.flatMap(({ variable, type, defaultValue }) => {
    const name = variable.name.value
    const isRequired = type.kind === Kind.NON_NULL_TYPE
    if (!Object.hasOwn(given, name)) {
      if (defaultValue) return [[name, literalValue(defaultValue, {})] as const]
      if (!isRequired) return []
      throw new EngineError(
        'validation-failed',
        `expecting a value for non-nullable variable: "${name}"`,
      )
    }
    if (given[name] === null && isRequired && !nullInNonNullableVariables)
      throw new EngineError(
        'validation-failed',
        `null value found for non-nullable type: "${print(type)}"`,
      )
    return [[name, given[name]] as const]
  })
  return Object.fromEntries(complete)
}

/** Whether exactly the declared variables have values, which is so for nearly all requests. */
function isComplete(definitions: readonly VariableDefinitionNode[], given: Variables): boolean {
  return (
    Object.keys(given).length === definitions.length &&
    definitions.every(({ variable: { name } }) => {
      return Object.hasOwn(given, name.value) && given[name.value] !== null
    })
  )
}
