import {
  type FieldNode,
  Kind,
  print,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql/language/index.js'
import { validationError } from '../../../errors.ts'
import { builtInType } from '../../../postgres/scalars.ts'
import {
  type Field,
  isComposite,
  namedType,
  type ObjectType,
  requiredType,
  type ScalarType,
} from '../../schema/graphql-types.ts'
import { inHashOrder } from '../../schema/hash-order.ts'
import type { Planner } from '../planner.ts'
import { checkDirectives } from './directives.ts'
import { type Input, inputAtPlace, inputOfField, missingInput } from './input.ts'
import { readFlag } from './parameter.ts'

/** One selected field with its response key; selections of the same key are merged. */
export type Selected = {
  as: string
  node: FieldNode
  /** Null for `__typename`. */
  field: Field | null
  path: string
  selections: readonly SelectionSetNode[]
}

type Merging = Omit<Selected, 'field'> & { selections: SelectionSetNode[] }

type SelectedOn = { type: ObjectType } & Pick<Selected, 'selections' | 'path'>

/** Reads the fields that are selected on a type, as `selectFields` finds them. */
export function readFields<T>(
  planner: Planner,
  selected: SelectedOn,
  read: (one: Selected) => T,
): T[] {
  return Array.from(selectFields(planner, selected), read)
}

/**
 * Finds the fields that are selected on a type: with fragments inlined, without skipped ones, equal keys merged.
 * Each is checked when those before it have been read, so that of several errors the first is told, as in Hasura.
 */
export function* selectFields(
  planner: Planner,
  { type, selections, path }: SelectedOn,
): Generator<Selected, void> {
  const inside = `${path}.selectionSet`
  if (selections.length === 0)
    throw validationError(inside, `missing selection set for '${type.name}'`)
  const fields = new Map<string, Merging>()
  for (const set of selections) collect(set)
  for (const one of fields.values()) yield knownField(type, one)

  function collect(set: SelectionSetNode) {
    for (const selection of set.selections) {
      if (!isIncluded(planner, selection, inside)) continue
      if (selection.kind === Kind.FIELD) add(selection)
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (appliesTo(type, selection.typeCondition?.name.value)) collect(selection.selectionSet)
      } else collectFragment(selection.name.value)
    }
  }
  function collectFragment(name: string) {
    const fragment = planner.fragments.get(name)
    if (fragment && appliesTo(type, fragment.typeCondition.name.value))
      collect(fragment.selectionSet)
  }
  function add(node: FieldNode) {
    const name = node.name.value
    const as = node.alias?.value ?? name
    const known = fields.get(as)
    if (known && known.node.name.value !== name)
      throw validationError(
        inside,
        `selection of both '${known.node.name.value}' and '${name}' specify the same response name, '${as}'`,
      )
    if (known && argumentsText(known.node) !== argumentsText(node))
      throw validationError(
        inside,
        `inconsistent arguments between multiple selections of field '${name}'`,
      )
    const selections = known?.selections ?? []
    if (node.selectionSet) selections.push(node.selectionSet)
    fields.set(as, { as, node, path: `${inside}.${name}`, selections })
  }
}

/** Finds the field in its type; refuses selections on a scalar, and arguments that are not declared. */
function knownField(type: ObjectType, one: Merging): Selected {
  const { node, path, selections } = one
  const name = node.name.value
  // As in Hasura, whatever its arguments are.
  if (name === '__typename') return { ...one, field: null }
  const field = type.fields().get(name)
  if (!field) throw validationError(path, `field '${name}' not found in type: '${type.name}'`)
  if (selections.length > 0 && !isComposite(namedType(field.type)))
    throw validationError(path, 'unexpected subselection set for non-object field')
  const unknown = (node.arguments ?? []).filter((argument) => !field.args.has(argument.name.value))
  const [first] = inHashOrder(unknown, (argument) => argument.name.value)
  if (first) throw validationError(path, `'${name}' has no argument named '${first.name.value}'`)
  return { ...one, field }
}

/** The arguments as text, whatever their order. */
export function argumentsText({ arguments: given = [] }: FieldNode): string {
  return given
    .map((argument) => print(argument))
    .toSorted()
    .join()
}

/** The object type that a field's value has. */
export function objectTypeOf({ field, path }: Selected): ObjectType {
  const type = field && namedType(field.type)
  if (type?.kind !== 'object') throw validationError(path, 'the field has no fields of its own')
  return type
}

function appliesTo(
  { name, interfaces, remote }: ObjectType,
  condition: string | undefined,
): boolean {
  if (condition === undefined || condition === name) return true
  const abstract = [...(interfaces?.() ?? []), ...(remote?.abstract() ?? [])]
  return abstract.some((one) => one.name === condition)
}

const BOOLEAN: ScalarType = {
  kind: 'scalar',
  name: 'Boolean',
  description: null,
  type: builtInType('bool'),
}

/** Evaluates `@include` and `@skip`; refuses directives that are unknown or not for selections. */
function isIncluded(planner: Planner, { kind, directives = [] }: SelectionNode, path: string) {
  // Hasura has inlined all fragments by then.
  const place = kind === Kind.FIELD ? 'a field' : 'an inline fragment'
  checkDirectives(directives, { path, place, allowed: Object.keys(DIRECTIVES) })
  const met = directives.map((directive) => {
    const name = directive.name.value
    const own = `${path}.${name}`
    const given = directive.arguments ?? []
    const other = given.find((argument) => argument.name.value !== 'if')
    if (other) throw validationError(own, `'${name}' has no argument named '${other.name.value}'`)
    const [argument] = given
    if (!argument) throw validationError(`${own}.args.if`, "missing required field 'if'")
    const place = { type: requiredType(BOOLEAN), path: `${own}.args.if` }
    return readFlag(planner, inputAtPlace(planner, argument.value, place)) === DIRECTIVES[name]
  })
  return met.every(Boolean)
}

/** For which value of `if` the selection stays. */
const DIRECTIVES: Readonly<Record<string, boolean>> = { include: true, skip: false }

/** The arguments of a field by name; one that is left out is `absent`, or an error if it is required. */
export function fieldArguments(
  planner: Planner,
  { node, field, path }: Selected,
): (name: string) => Input {
  const given = new Map(
    (node.arguments ?? []).map((argument) => [argument.name.value, argument.value]),
  )
  return (name) => {
    const own = `${path}.args.${name}`
    const argument = field?.args.get(name)
    const node = given.get(name)
    return argument && node
      ? inputOfField(planner, node, argument, own)
      : missingInput(argument, own)
  }
}
