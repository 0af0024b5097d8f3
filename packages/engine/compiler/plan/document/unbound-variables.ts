import {
  type FragmentDefinitionNode,
  Kind,
  type ListValueNode,
  type OperationDefinitionNode,
  type ValueNode,
  visit,
} from 'graphql/language/index.js'
import type { Config } from '../../../config/config.ts'
import type { Variables } from '../decision.ts'
import type { Operation } from './operation.ts'

/** Reports whether variables without a value are dropped. */
export function dropsUnbound({ experimentalFeatures }: Pick<Config, 'experimentalFeatures'>) {
  return experimentalFeatures.includes('no_null_unbound_variable_default')
}

/**
 * Removes the arguments, members and items that are variables with neither a value nor a default. Hasura does this with
 * the experimental feature `no_null_unbound_variable_default`. Without the feature, these variables count as null.
 */
export function withoutUnbound(operation: Operation, values: Variables): Operation {
  const unbound = new Set(
    (operation.node.variableDefinitions ?? [])
      .filter(({ type, defaultValue }) => type.kind !== Kind.NON_NULL_TYPE && !defaultValue)
      .map(({ variable }) => variable.name.value)
      .filter((name) => !Object.hasOwn(values, name)),
  )
  if (unbound.size === 0) return operation
  const fragments = [...operation.fragments].map(
    ([name, fragment]) => [name, withoutUses(fragment, unbound)] as const,
  )
  return {
    ...operation,
    node: withoutUses(operation.node, unbound),
    fragments: new Map(fragments),
  }
}

function withoutUses<T extends OperationDefinitionNode | FragmentDefinitionNode>(
  definition: T,
  unbound: ReadonlySet<string>,
): T {
  const isUnbound = (value: ValueNode) =>
    value.kind === Kind.VARIABLE && unbound.has(value.name.value)
  const removeUnbound = ({ value }: { value: ValueNode }) => (isUnbound(value) ? null : undefined)
  return visit(definition, {
    VariableDefinition: () => false,
    Argument: { enter: removeUnbound },
    ObjectField: { enter: removeUnbound },
    ListValue: {
      enter: (list): ListValueNode => ({
        ...list,
        values: list.values.filter((item) => !isUnbound(item)),
      }),
    },
  })
}
