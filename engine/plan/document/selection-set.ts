import {
  type FieldNode,
  Kind,
  print,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql/language/index.js'
import { builtIn } from '../../postgres/scalars.ts'
import {
  type Field,
  namedType,
  type ObjectType,
  required,
  type ScalarType,
} from '../../schema/graphql-types.ts'
import { invalid, type Planner } from '../planner.ts'
import { checkDirectives } from './directives.ts'
import { type Input, inputAt, inputOf } from './input.ts'
import { flag } from './leaf.ts'

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
export function selected(
  planner: Planner,
  type: ObjectType,
  selections: readonly SelectionSetNode[],
  path: string,
): readonly Selected[] {
  const inside = `${path}.selectionSet`
  if (selections.length === 0) throw invalid(inside, `missing selection set for '${type.name}'`)
  const fields = new Map<string, Merging>()
  for (const set of selections) collect(set)
  fields.forEach(checkField)
  return [...fields.values()]

  function collect(set: SelectionSetNode) {
    for (const selection of set.selections) {
      if (!isIncluded(planner, selection, inside)) continue
      if (selection.kind === Kind.FIELD) add(selection)
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (applies(type, selection.typeCondition?.name.value)) collect(selection.selectionSet)
      } else collectFragment(selection.name.value)
    }
  }
  function collectFragment(name: string) {
    const fragment = planner.fragments.get(name)
    if (fragment && applies(type, fragment.typeCondition.name.value)) collect(fragment.selectionSet)
  }
  function add(node: FieldNode) {
    const name = node.name.value
    const as = node.alias?.value ?? name
    const known = fields.get(as)
    if (known && known.node.name.value !== name)
      throw invalid(
        inside,
        `selection of both '${known.node.name.value}' and '${name}' specify the same response name, '${as}'`,
      )
    if (known && argumentsText(known.node) !== argumentsText(node))
      throw invalid(inside, `inconsistent arguments between multiple selections of field '${name}'`)
    const field = name === '__typename' ? null : type.fields().get(name)
    const own = `${inside}.${name}`
    if (field === undefined) throw invalid(own, `field '${name}' not found in type: '${type.name}'`)
    const unknown = node.arguments?.find((argument) => !field?.args.has(argument.name.value))
    if (unknown) throw invalid(own, `'${name}' has no argument named '${unknown.name.value}'`)
    const selections = known?.selections ?? []
    if (node.selectionSet) selections.push(node.selectionSet)
    fields.set(as, { as, node, field, path: own, selections })
  }
}

/** Refuses selections on a scalar, and arguments that are not declared. */
function checkField({ field, node, path, selections }: Selected): void {
  if (!field || field.meaning.kind === 'introspection') return
  if (selections.length > 0 && namedType(field.type).kind !== 'object')
    throw invalid(path, 'unexpected subselection set for non-object field')
  const other = node.arguments?.find(({ name }) => !field.args.has(name.value))
  if (other) throw invalid(path, `'${field.name}' has no argument named '${other.name.value}'`)
}

function argumentsText({ arguments: given = [] }: FieldNode): string {
  return given
    .map((argument) => print(argument))
    .toSorted()
    .join()
}

/** The object type that a field's value has. */
export function objectOf({ field, path }: Selected): ObjectType {
  const type = field && namedType(field.type)
  if (type?.kind !== 'object') throw invalid(path, 'the field has no fields of its own')
  return type
}

function applies({ name }: ObjectType, condition: string | undefined): boolean {
  return condition === undefined || condition === name
}

const BOOLEAN: ScalarType = {
  kind: 'scalar',
  name: 'Boolean',
  description: null,
  type: builtIn('bool'),
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
    if (other) throw invalid(own, `'${name}' has no argument named '${other.name.value}'`)
    const [argument] = given
    if (!argument) throw invalid(`${own}.args.if`, "missing required field 'if'")
    const place = { type: required(BOOLEAN), path: `${own}.args.if` }
    return flag(planner, inputAt(planner, argument.value, place)) === DIRECTIVES[name]
  })
  return met.every(Boolean)
}

/** For which value of `if` the selection stays. */
const DIRECTIVES: Readonly<Record<string, boolean>> = { include: true, skip: false }

/** The arguments of a field by name. A declared argument that is not given is an input of kind `absent`. */
export function argumentsOf(
  planner: Planner,
  { node, field, path }: Selected,
): (name: string) => Input {
  const given = new Map(
    (node.arguments ?? []).map((argument) => [argument.name.value, argument.value]),
  )
  for (const [name, argument] of field?.args ?? [])
    if (argument.type.kind === 'required' && argument.defaultText === null && !given.has(name))
      throw invalid(`${path}.args.${name}`, `missing required field '${name}'`)
  return (name) => {
    const own = `${path}.args.${name}`
    const argument = field?.args.get(name)
    if (!argument) return { type: BOOLEAN, path: own, kind: 'absent' }
    return inputOf(planner, given.get(name), argument, own)
  }
}
