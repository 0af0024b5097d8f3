import { Kind, type ValueNode } from 'graphql/language/index.js'
import { parseNumeral } from '../../../../../lib/runtime/exact-json.ts'
import { memberAt } from '../../../json/record.ts'
import type { Variables } from '../decision.ts'

/**
 * Returns the JSON value of a literal, in which the values of variables replace the variables. Numbers keep all their
 * digits.
 */
export function literalValue(node: ValueNode, variables: Variables): unknown {
  switch (node.kind) {
    case Kind.VARIABLE:
      return variables[node.name.value] ?? null
    case Kind.INT:
    case Kind.FLOAT:
      return parseNumeral(node.value)
    case Kind.LIST:
      return node.values.map((item) => literalValue(item, variables))
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map((f) => [f.name.value, literalValue(f.value, variables)]),
      )
    case Kind.NULL:
      return null
    default:
      return node.value
  }
}

/** Returns the part at `keys` of a variable's value. `variables` are the values of one run. */
export function variableValue(
  { name, keys }: { name: string; keys: readonly (string | number)[] },
  variables: Variables,
): unknown {
  return keys.reduce<unknown>(
    memberAt,
    Object.hasOwn(variables, name) ? variables[name] : undefined,
  )
}
