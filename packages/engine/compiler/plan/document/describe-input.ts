import { Kind, type ValueNode } from 'graphql/language/index.js'
import type { Planner } from '../planner.ts'
import { describeValue } from './describe-value.ts'
import { variableValue } from './literal.ts'

/** Where a value in the request is: `keys` lead to it inside a variable. */
export type InputValue =
  | { kind: 'literal'; node: ValueNode }
  | { kind: 'variable'; name: string; keys: readonly (string | number)[] }
  | { kind: 'absent' }

/** The name of an input's value in error messages: of one in the document as GraphQL calls it, else as JSON does. */
export function describeInput(planner: Planner, input: InputValue): string {
  if (input.kind === 'absent') return 'null'
  const node = input.kind === 'literal' ? input.node : defaultNode(planner, input)
  if (node) return describeNode(node)
  return input.kind === 'variable' ? describeValue(variableValue(input, planner.variables)) : 'null'
}

/** The part of a variable's default that is the value; null if the request gives the variable. */
function defaultNode(
  { sent, definitions }: Planner,
  { name, keys }: Extract<InputValue, { kind: 'variable' }>,
): ValueNode | null {
  if (Object.hasOwn(sent, name)) return null
  return keys.reduce(nodeBelow, definitions.get(name)?.defaultValue ?? null)
}

/** The node of an item or a member; null if it is not written there. */
export function nodeBelow(node: ValueNode | null, key: string | number): ValueNode | null {
  if (node?.kind === Kind.LIST) return node.values[Number(key)] ?? null
  if (node?.kind !== Kind.OBJECT) return null
  return node.fields.find(({ name }) => name.value === key)?.value ?? null
}

/** The name of a literal in error messages. */
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
