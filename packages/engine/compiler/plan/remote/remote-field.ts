import { validationError } from '../../../errors.ts'
import type { RemoteSchema } from '../../model/model.ts'
import { type AbstractType, namedType, type ObjectType } from '../../schema/graphql-types.ts'
import { argumentsText, readFields, type SelectedField } from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import type { PlanFields } from '../read/aggregate.ts'
import type { ResponseItem, SentField, SentMember, SentSelection } from '../sent-field.ts'
import { presetMembers } from './preset-members.ts'
import { type InputReading, toSentInput } from './remote-input.ts'
import { planRemoteJoin, type RemoteTarget } from './remote-join.ts'

/** Plans a field of a remote schema with its selection. */
export function planRemoteField(
  planner: Planner,
  selection: SelectedField,
  target: RemoteTarget,
  ofRows: PlanFields,
): SentField {
  const { schema, name } = target
  const { as, node } = selection
  const args = planArguments(planner, selection, target)
  const below = planSelection(planner, selection, { schema, ofRows })
  const key = JSON.stringify([as, name, argumentsText(node), below && selectionKey(below)])
  return { as, name, args, key, below }
}

function selectionKey({ fields, typeSelections: on }: SentSelection): unknown {
  const keys = (all: readonly SentField[]) => all.map((field) => field.key)
  return [keys(fields), on.map((part) => [part.type, keys(part.fields)])]
}

/**
 * Reads the arguments once during planning, so that the first of several wrong values is reported, and again for each
 * run.
 */
function planArguments(
  { definitions, variables: currentVariables, schema: { model } }: Planner,
  { node, field, path }: SelectedField,
  { schema, presets }: RemoteTarget,
): SentField['args'] {
  const { originalType } = schema.customization
  const common = { definitions, originalType, skipsNulls: model.settings.remoteSkipsNulls }
  const nodes = new Map(
    (node.arguments ?? []).map((selection) => [selection.name.value, selection.value]),
  )
  const fields = [...(field?.args.values() ?? [])]
  const readArguments = (reading: InputReading): SentMember[] => [
    ...fields.flatMap((arg) => {
      const value = nodes.get(arg.name)
      const argumentPath = `${path}.args.${arg.name}`
      const sentValue = toSentInput(reading, arg, value ? { node: value } : null, argumentPath)
      return sentValue ? [{ name: arg.name, value: sentValue }] : []
    }),
    ...presetMembers(presets, reading),
  ]
  readArguments({ ...common, variables: currentVariables, session: null })
  return ({ variables, session }) => readArguments({ ...common, variables, session })
}

/** The remote schema of a field, and the function that plans the fields of related rows. */
type FieldContext = { schema: RemoteSchema; ofRows: PlanFields }

function planSelection(
  planner: Planner,
  selection: SelectedField,
  context: FieldContext,
): SentSelection | null {
  const type = selection.field && namedType(selection.field.type)
  if (type?.kind === 'object') {
    const { fields, items } = planObject(planner, selection, { ...context, type })
    return { fields, typeSelections: [], response: { kind: 'object', items } }
  }
  if (type?.kind === 'interface' || type?.kind === 'union')
    return planAbstract(planner, selection, { ...context, type })
  return null
}

type PlannedObject = { fields: SentField[]; items: ResponseItem[] }

function planObject(
  planner: Planner,
  selection: SelectedField,
  { type, schema, ofRows }: FieldContext & { type: ObjectType },
): PlannedObject {
  const joinFields: SentField[] = []
  const fields: SentField[] = []
  const items = readFields(planner, { ...selection, type }, (part): ResponseItem => {
    const { as, field } = part
    if (!field) {
      fields.push(typenameField(as))
      return { as, kind: 'typename' }
    }
    const { meaning } = field
    if (meaning.kind === 'remoteRelationship') {
      const planners = { ofRows, ofRemote: planRemoteField }
      const join = planRemoteJoin(planner, part, meaning, planners)
      const leftFields = join.leftFields.map((name) => leftField(type, name))
      joinFields.push(...leftFields)
      return { as, kind: 'join', join, leftFields: leftFields.map((field) => field.as) }
    }
    if (meaning.kind !== 'remote')
      throw validationError(part.path, `the remote schema has no field '${field.name}'`)
    const sentField = planRemoteField(planner, part, { schema, ...meaning }, ofRows)
    fields.push(sentField)
    return { as, kind: 'value', below: sentField.below?.response ?? null }
  })
  const relationshipFields = new Map(joinFields.map((field) => [field.as, field]))
  return { fields: [...fields, ...relationshipFields.values()], items }
}

const NO_ARGUMENTS = () => []

function typenameField(as: string): SentField {
  const name = '__typename'
  return { as, name, args: NO_ARGUMENTS, key: JSON.stringify([as, name]), below: null }
}

/**
 * Creates a field that only a relationship needs. Its alias contains the type, because members of a union may have
 * different fields of the same name.
 */
function leftField(type: ObjectType, name: string): SentField {
  const as = `hasura_left_${type.name}_${name}`
  return { as, name, args: NO_ARGUMENTS, key: JSON.stringify([as, name]), below: null }
}

/**
 * Plans the selection on each possible type. As in Hasura, if the selections on all types begin with the same fields,
 * these fields are selected on the interface itself. For a union, only `__typename` can be selected in this way.
 */
function planAbstract(
  planner: Planner,
  selection: SelectedField,
  { type, ...context }: FieldContext & { type: AbstractType },
): SentSelection {
  const plannedObjects = type.members().map((member) => {
    planner.notes.countMemberSelection(selection.path)
    const name = member.remote?.name ?? member.name
    return { name, ...planObject(planner, selection, { ...context, type: member }) }
  })
  const interfaceFields = new Set(
    [...type.fields().values()].flatMap(({ meaning }) =>
      meaning.kind === 'remote' ? meaning.name : [],
    ),
  )
  const common = commonFields(plannedObjects, interfaceFields)
  const on = plannedObjects.flatMap(({ name, fields }) => {
    const otherFields = fields.slice(common.length)
    return otherFields.length === 0 ? [] : [{ type: name, fields: otherFields }]
  })
  const byType = new Map(plannedObjects.map(({ name, items }) => [name, items]))
  const typenameAs = mustKnowType(plannedObjects) ? TYPE_KEY : null
  const fields = typenameAs === null ? common : [...common, typenameField(typenameAs)]
  return { fields, typeSelections: on, response: { kind: 'abstract', typenameAs, byType } }
}

const TYPE_KEY = 'hasura_type'

/**
 * Returns the fields with which the selections on all types begin, up to the first field that the interface itself does
 * not have.
 */
function commonFields(
  plannedObjects: readonly PlannedObject[],
  interfaceFields: ReadonlySet<string>,
): SentField[] {
  const [first, ...furtherObjects] = plannedObjects
  if (!first) return []
  const end = first.fields.findIndex(
    ({ name, key }, i) =>
      !(name === '__typename' || interfaceFields.has(name)) ||
      furtherObjects.some(({ fields }) => fields[i]?.key !== key),
  )
  return end === -1 ? [...first.fields] : first.fields.slice(0, end)
}

/**
 * Reports whether a response can be read only if the type of its object is known. This is so if the selection has
 * relationships, or if a key may have different meanings for different types.
 */
function mustKnowType(plannedObjects: readonly PlannedObject[]): boolean {
  const kinds = new Map<string, ResponseItem['kind']>()
  return plannedObjects
    .flatMap(({ items }) => items)
    .some((item) => {
      const isPlain = item.kind === 'typename' || (item.kind === 'value' && !item.below)
      const previousKind = kinds.get(item.as)
      kinds.set(item.as, item.kind)
      if (item.kind === 'join') return true
      return previousKind !== undefined && (!isPlain || previousKind !== item.kind)
    })
}
