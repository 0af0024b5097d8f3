import { Kind, type ValueNode } from 'graphql/language/index.js'
import type { Planner } from '../planner.ts'
import { describeValue } from './describe-value.ts'
import { variableValue } from './literal.ts'

/** The place of a value in the request; `keys` are the keys from the variable to the value. */
export type InputValue =
  | { kind: 'literal'; node: ValueNode }
  | { kind: 'variable'; name: string; keys: readonly (string | number)[] }
  | { kind: 'absent' }

/**
 * Returns the words for an input's value in error messages. They name the kind of GraphQL literal if the document has
 * the value, and the kind of JSON value if the request's variables have it.
 */
export function describeInput(planner: Planner, input: InputValue): string {
  if (input.kind === 'absent') return 'null'
  const node = input.kind === 'literal' ? input.node : defaultNode(planner, input)
  if (node) return describeNode(node)
  return input.kind === 'variable' ? describeValue(variableValue(input, planner.variables)) : 'null'
}

/**
 * Returns the node of the value in the default of its variable. Returns null if the request sets the variable, or if
 * the default does not contain the value.
 */
function defaultNode(
  { sentVariables, definitions }: Planner,
  { name, keys }: Extract<InputValue, { kind: 'variable' }>,
): ValueNode | null {
  if (Object.hasOwn(sentVariables, name)) return null
  return keys.reduce(nodeBelow, definitions.get(name)?.defaultValue ?? null)
}

/** Returns the node of an item or a member; null if the node does not contain it. */
export function nodeBelow(node: ValueNode | null, key: string | number): ValueNode | null {
  if (node?.kind === Kind.LIST) return node.values[Number(key)] ?? null
  if (node?.kind !== Kind.OBJECT) return null
  return node.fields.find(({ name }) => name.value === key)?.value ?? null
}

/** Returns the words for a literal in error messages. */
export function describeNode({ kind }: ValueNode): string {
  return NODES[kind] ?? 'a value'
}

const NODES: Readonly<Record<string, string>> = {
  [Kind.NULL]: 'null',
  [Kind.INT]: 'an integer',
  [Kind.FLOAT]: 'a float',
  [Kind.STRING]: 'a string',
  [Kind.BOOLEAN]: 'a boolean',
  [Kind.ENUM]: 'an enum value',
  [Kind.LIST]: 'a list',
  [Kind.OBJECT]: 'an object',
}
