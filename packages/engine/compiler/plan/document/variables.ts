import { Kind, print, type VariableDefinitionNode } from 'graphql/language/index.js'
import type { Config } from '../../../config/config.ts'
import { EngineError } from '../../../errors.ts'
import { inHashOrder } from '../../schema/hash-order.ts'
import type { Variables } from '../decision.ts'
import { literalValue } from './literal.ts'
import type { Operation } from './operation.ts'

type Settings = Pick<Config, 'nullInNonNullableVariables'>

/**
 * Fills in the defaults of a request's variables.
 *
 * @throws validation-failed for values of variables that the operation does not use, and for required variables that are
 *   missing. Also for required variables that are null, unless `nullInNonNullableVariables` is set.
 */
export function completeVariables(
  { node, usedVariables }: Operation,
  values: Variables,
  { nullInNonNullableVariables }: Settings,
): Variables {
  const definitions = node.variableDefinitions ?? []
  if (usedVariables.size === definitions.length && isComplete(definitions, values)) return values
  const unexpectedNames = inHashOrder(
    Object.keys(values).filter((name) => !usedVariables.has(name)),
    (name) => name,
  )
  if (unexpectedNames.length > 0)
    throw new EngineError(
      'validation-failed',
      `unexpected variables in variableValues: ${unexpectedNames.join(', ')}`,
    )
  const complete = definitions.flatMap(({ variable, type, defaultValue }) => {
    const name = variable.name.value
    const isRequired = type.kind === Kind.NON_NULL_TYPE
    if (!Object.hasOwn(values, name)) {
      if (defaultValue) return [[name, literalValue(defaultValue, {})] as const]
      if (!isRequired) return []
      throw new EngineError(
        'validation-failed',
        `expecting a value for non-nullable variable: "${name}"`,
      )
    }
    if (values[name] === null && isRequired && !nullInNonNullableVariables)
      throw new EngineError(
        'validation-failed',
        `null value found for non-nullable type: "${print(type)}"`,
      )
    return [[name, values[name]] as const]
  })
  return Object.fromEntries(complete)
}

/** Reports whether exactly the declared variables have values, and no value is null, as in nearly all requests. */
function isComplete(definitions: readonly VariableDefinitionNode[], values: Variables): boolean {
  return (
    Object.keys(values).length === definitions.length &&
    definitions.every(({ variable: { name } }) => {
      return Object.hasOwn(values, name.value) && values[name.value] !== null
    })
  )
}
