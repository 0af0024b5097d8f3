import {
  type FieldNode,
  Kind,
  print,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql/language/index.js'
import { builtInType } from '../../postgres/scalars.ts'
import {
  type Field,
  namedType,
  type ObjectType,
  requiredType,
  type ScalarType,
} from '../../schema/graphql-types.ts'
import { type Planner, validationError } from '../planner.ts'
import { checkDirectives } from './directives.ts'
import { type Input, inputAtPlace, inputOfField } from './input.ts'
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

type Merging = Selected & { selections: SelectionSetNode[] }

/** The fields that are selected on a type: with fragments inlined, without skipped ones, equal keys merged. */
export function selectedFields(
  planner: Planner,
  type: ObjectType,
  selections: readonly SelectionSetNode[],
  path: string,
): readonly Selected[] {
  const inside = `${path}.selectionSet`
  if (selections.length === 0)
    throw validationError(inside, `missing selection set for '${type.name}'`)
  const fields = new Map<string, Merging>()
  for (const set of selections) collect(set)
  fields.forEach(checkSelectedField)
  return [...fields.values()]

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
    const field = name === '__typename' ? null : type.fields().get(name)
    const own = `${inside}.${name}`
    if (field === undefined)
      throw validationError(own, `field '${name}' not found in type: '${type.name}'`)
    const unknown = node.arguments?.find((argument) => !field?.args.has(argument.name.value))
    if (unknown)
      throw validationError(own, `'${name}' has no argument named '${unknown.name.value}'`)
    const selections = known?.selections ?? []
    if (node.selectionSet) selections.push(node.selectionSet)
    fields.set(as, { as, node, field, path: own, selections })
  }
}

/** Refuses selections on a scalar, and arguments that are not declared. */
function checkSelectedField({ field, node, path, selections }: Selected): void {
  if (!field || field.meaning.kind === 'introspection') return
  if (selections.length > 0 && namedType(field.type).kind !== 'object')
    throw validationError(path, 'unexpected subselection set for non-object field')
  const other = node.arguments?.find(({ name }) => !field.args.has(name.value))
  if (other)
    throw validationError(path, `'${field.name}' has no argument named '${other.name.value}'`)
}

function argumentsText({ arguments: given = [] }: FieldNode): string {
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

function appliesTo({ name }: ObjectType, condition: string | undefined): boolean {
  return condition === undefined || condition === name
}

const BOOLEAN: ScalarType = {
  kind: 'scalar',
  name: 'Boolean',
  description: null,
  type: builtInType('bool'),
}

/** Evaluates `@include` and `@skip`; refuses directives that are unknown or not for selections. */
function isIncluded(planner: Planner, { kind, directives = [] }: SelectionNode, path: string) {
  const place = kind === Kind.INLINE_FRAGMENT ? 'an inline fragment' : 'a field'
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

/** The arguments of a field by name. A declared argument that is not given is an input of kind `absent`. */
export function fieldArguments(
  planner: Planner,
  { node, field, path }: Selected,
): (name: string) => Input {
  const given = new Map(
    (node.arguments ?? []).map((argument) => [argument.name.value, argument.value]),
  )
  for (const [name, argument] of field?.args ?? [])
    if (argument.type.kind === 'required' && argument.defaultText === null && !given.has(name))
      throw validationError(`${path}.args.${name}`, `missing required field '${name}'`)
  return (name) => {
    const own = `${path}.args.${name}`
    const argument = field?.args.get(name)
    if (!argument) return { type: BOOLEAN, path: own, kind: 'absent' }
    return inputOfField(planner, given.get(name), argument, own)
  }
}
