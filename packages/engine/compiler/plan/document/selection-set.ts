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

/** A selected field with its response key; selections with the same key are merged. */
export type SelectedField = {
  as: string
  node: FieldNode
  /** Null for `__typename`. */
  field: Field | null
  path: string
  selections: readonly SelectionSetNode[]
}

type MergedSelection = Omit<SelectedField, 'field'> & { selections: SelectionSetNode[] }

type TypeSelection = { type: ObjectType } & Pick<SelectedField, 'selections' | 'path'>

/** Reads the fields that are selected on a type; see `selectFields`. */
export function readFields<T>(
  planner: Planner,
  selected: TypeSelection,
  read: (selection: SelectedField) => T,
): T[] {
  return Array.from(selectFields(planner, selected), read)
}

/**
 * Finds the fields that are selected on a type: fragments are inlined, skipped fields left out, equal keys merged. Each
 * field is checked only after the previous fields have been read, so the first of several errors is reported, as in
 * Hasura.
 */
export function* selectFields(
  planner: Planner,
  { type, selections, path }: TypeSelection,
): Generator<SelectedField, void> {
  const selectionPath = `${path}.selectionSet`
  if (selections.length === 0)
    throw validationError(selectionPath, `missing selection set for '${type.name}'`)
  const fields = new Map<string, MergedSelection>()
  for (const set of selections) collect(set)
  for (const mergedSelection of fields.values()) yield resolveField(type, mergedSelection)

  function collect(set: SelectionSetNode) {
    for (const selection of set.selections) {
      if (!isIncluded(planner, selection, selectionPath)) continue
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
    const previous = fields.get(as)
    if (previous && previous.node.name.value !== name)
      throw validationError(
        selectionPath,
        `selection of both '${previous.node.name.value}' and '${name}' specify the same response name, '${as}'`,
      )
    if (previous && argumentsText(previous.node) !== argumentsText(node))
      throw validationError(
        selectionPath,
        `inconsistent arguments between multiple selections of field '${name}'`,
      )
    const selections = previous?.selections ?? []
    if (node.selectionSet) selections.push(node.selectionSet)
    fields.set(as, { as, node, path: `${selectionPath}.${name}`, selections })
  }
}

/** Finds the field in its type; rejects selections on a scalar, and undeclared arguments. */
function resolveField(type: ObjectType, mergedSelection: MergedSelection): SelectedField {
  const { node, path, selections } = mergedSelection
  const name = node.name.value
  // Arguments of `__typename` are ignored, as in Hasura.
  if (name === '__typename') return { ...mergedSelection, field: null }
  const field = type.fields().get(name)
  if (!field) throw validationError(path, `field '${name}' not found in type: '${type.name}'`)
  if (selections.length > 0 && !isComposite(namedType(field.type)))
    throw validationError(path, 'unexpected subselection set for non-object field')
  const unknown = (node.arguments ?? []).filter((argument) => !field.args.has(argument.name.value))
  const [first] = inHashOrder(unknown, (argument) => argument.name.value)
  if (first) throw validationError(path, `'${name}' has no argument named '${first.name.value}'`)
  return { ...mergedSelection, field }
}

/** Returns the arguments as text, independent of their order. */
export function argumentsText({ arguments: args = [] }: FieldNode): string {
  return args
    .map((argument) => print(argument))
    .toSorted()
    .join()
}

/** Returns the object type of a field's value. */
export function objectTypeOf({ field, path }: SelectedField): ObjectType {
  const type = field && namedType(field.type)
  if (type?.kind !== 'object') throw validationError(path, 'the field has no subfields')
  return type
}

function appliesTo(
  { name, interfaces, remote }: ObjectType,
  condition: string | undefined,
): boolean {
  if (condition === undefined || condition === name) return true
  const abstract = [...(interfaces?.() ?? []), ...(remote?.abstract() ?? [])]
  return abstract.some((candidate) => candidate.name === condition)
}

const BOOLEAN: ScalarType = {
  kind: 'scalar',
  name: 'Boolean',
  description: null,
  type: builtInType('bool'),
}

/** Evaluates `@include` and `@skip`; rejects directives that are unknown or not allowed on selections. */
function isIncluded(planner: Planner, { kind, directives = [] }: SelectionNode, path: string) {
  // Hasura inlines all fragments before it checks directives, so its messages call every fragment an inline fragment.
  const place = kind === Kind.FIELD ? 'a field' : 'an inline fragment'
  checkDirectives(directives, { path, place, allowedNames: Object.keys(DIRECTIVES) })
  const conditions = directives.map((directive) => {
    const name = directive.name.value
    const directivePath = `${path}.${name}`
    const args = directive.arguments ?? []
    const unknown = args.find((argument) => argument.name.value !== 'if')
    if (unknown)
      throw validationError(
        directivePath,
        `'${name}' has no argument named '${unknown.name.value}'`,
      )
    const [argument] = args
    if (!argument) throw validationError(`${directivePath}.args.if`, "missing required field 'if'")
    const place = { type: requiredType(BOOLEAN), path: `${directivePath}.args.if` }
    return readFlag(planner, inputAtPlace(planner, argument.value, place)) === DIRECTIVES[name]
  })
  return conditions.every(Boolean)
}

/** The value of `if` with which the directive includes the selection. */
const DIRECTIVES: Readonly<Record<string, boolean>> = { include: true, skip: false }

/**
 * Returns a function that finds an argument of a field by name. A missing argument is `absent`, or an error if it is
 * required.
 */
export function fieldArguments(
  planner: Planner,
  { node, field, path }: SelectedField,
): (name: string) => Input {
  const nodes = new Map(
    (node.arguments ?? []).map((argument) => [argument.name.value, argument.value]),
  )
  return (name) => {
    const argumentPath = `${path}.args.${name}`
    const argument = field?.args.get(name)
    const node = nodes.get(name)
    return argument && node
      ? inputOfField(planner, node, argument, argumentPath)
      : missingInput(argument, argumentPath)
  }
}
