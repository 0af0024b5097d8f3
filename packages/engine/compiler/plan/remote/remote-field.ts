import { validationError } from '../../../errors.ts'
import type { RemoteSchema } from '../../model/model.ts'
import { type AbstractType, namedType, type ObjectType } from '../../schema/graphql-types.ts'
import { argumentsText, readFields, type Selected } from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import type { PlanFields } from '../read/aggregate.ts'
import type { SentField, SentMember, SentSelection, ShownItem } from '../sent-field.ts'
import { presetMembers } from './preset-members.ts'
import { type Reading, sentInput } from './remote-input.ts'
import { type AskedField, planRemoteJoin } from './remote-join.ts'

/** Plans a field of a remote schema with all that is selected below it. */
export function planRemoteField(
  planner: Planner,
  one: Selected,
  asked: AskedField,
  ofRows: PlanFields,
): SentField {
  const { schema, name } = asked
  const { as, node } = one
  const args = planArguments(planner, one, asked)
  const below = planSelection(planner, one, { schema, ofRows })
  const key = JSON.stringify([as, name, argumentsText(node), below && selectionKey(below)])
  return { as, name, args, key, below }
}

function selectionKey({ fields, on }: SentSelection): unknown {
  const keys = (all: readonly SentField[]) => all.map((field) => field.key)
  return [keys(fields), on.map((part) => [part.type, keys(part.fields)])]
}

/** Reads the arguments once now, so that of several wrong values the first is told, and again for each run. */
function planArguments(
  { definitions, variables: present, schema: { model } }: Planner,
  { node, field, path }: Selected,
  { schema, presets }: AskedField,
): SentField['args'] {
  const { originalType } = schema.customization
  const fixed = { definitions, originalType, skipsNulls: model.settings.remoteSkipsNulls }
  const given = new Map((node.arguments ?? []).map((one) => [one.name.value, one.value]))
  const fields = [...(field?.args.values() ?? [])]
  const read = (reading: Reading): SentMember[] => [
    ...fields.flatMap((arg) => {
      const value = given.get(arg.name)
      const own = `${path}.args.${arg.name}`
      const sent = sentInput(reading, arg, value ? { node: value } : null, own)
      return sent ? [{ name: arg.name, value: sent }] : []
    }),
    ...presetMembers(presets, reading),
  ]
  read({ ...fixed, variables: present, session: null })
  return ({ variables, session }) => read({ ...fixed, variables, session })
}

/** The schema that a field is of, and how the fields of rows are planned. */
type Within = { schema: RemoteSchema; ofRows: PlanFields }

function planSelection(planner: Planner, one: Selected, within: Within): SentSelection | null {
  const type = one.field && namedType(one.field.type)
  if (type?.kind === 'object') {
    const { fields, items } = planObject(planner, one, { ...within, type })
    return { fields, on: [], shown: { kind: 'object', items } }
  }
  if (type?.kind === 'interface' || type?.kind === 'union')
    return planAbstract(planner, one, { ...within, type })
  return null
}

type Planned = { fields: SentField[]; items: ShownItem[] }

function planObject(
  planner: Planner,
  one: Selected,
  { type, schema, ofRows }: Within & { type: ObjectType },
): Planned {
  const joined: SentField[] = []
  const fields: SentField[] = []
  const items = readFields(planner, { ...one, type }, (part): ShownItem => {
    const { as, field } = part
    if (!field) {
      fields.push(typenameField(as))
      return { as, kind: 'typename' }
    }
    const { meaning } = field
    if (meaning.kind === 'remoteRelationship') {
      const planners = { ofRows, ofRemote: planRemoteField }
      const join = planRemoteJoin(planner, part, meaning, planners)
      const hidden = join.left.map((name) => leftField(type, name))
      joined.push(...hidden)
      return { as, kind: 'join', join, left: hidden.map((sent) => sent.as) }
    }
    if (meaning.kind !== 'remote')
      throw validationError(part.path, `field '${field.name}' is not one of the remote schema`)
    const sent = planRemoteField(planner, part, { schema, ...meaning }, ofRows)
    fields.push(sent)
    return { as, kind: 'value', below: sent.below?.shown ?? null }
  })
  const hidden = new Map(joined.map((field) => [field.as, field]))
  return { fields: [...fields, ...hidden.values()], items }
}

const NO_ARGUMENTS = () => []

function typenameField(as: string): SentField {
  const name = '__typename'
  return { as, name, args: NO_ARGUMENTS, key: JSON.stringify([as, name]), below: null }
}

/** A field that only a relationship needs; its key has the type, since members of a union may have different fields of one name. */
function leftField(type: ObjectType, name: string): SentField {
  const as = `hasura_left_${type.name}_${name}`
  return { as, name, args: NO_ARGUMENTS, key: JSON.stringify([as, name]), below: null }
}

/**
 * Plans what each possible type is asked for. As in Hasura, what all of them are asked for first is asked of the interface
 * itself.
 */
function planAbstract(
  planner: Planner,
  one: Selected,
  { type, ...within }: Within & { type: AbstractType },
): SentSelection {
  const planned = type.members().map((member) => {
    planner.notes.countMemberSelection(one.path)
    const name = member.remote?.name ?? member.name
    return { name, ...planObject(planner, one, { ...within, type: member }) }
  })
  const own = new Set(
    [...type.fields().values()].flatMap(({ meaning }) =>
      meaning.kind === 'remote' ? meaning.name : [],
    ),
  )
  const common = commonFields(planned, own)
  const on = planned.flatMap(({ name, fields }) => {
    const rest = fields.slice(common.length)
    return rest.length === 0 ? [] : [{ type: name, fields: rest }]
  })
  const byType = new Map(planned.map(({ name, items }) => [name, items]))
  const typenameAs = mustKnowType(planned) ? TYPE_KEY : null
  const fields = typenameAs === null ? common : [...common, typenameField(typenameAs)]
  return { fields, on, shown: { kind: 'abstract', typenameAs, byType } }
}

const TYPE_KEY = 'hasura_type'

/** The fields at the beginning of all selections that the interface itself has. */
function commonFields(planned: readonly Planned[], own: ReadonlySet<string>): SentField[] {
  const [first, ...others] = planned
  if (!first) return []
  const end = first.fields.findIndex(
    ({ name, key }, i) =>
      !(name === '__typename' || own.has(name)) ||
      others.some(({ fields }) => fields[i]?.key !== key),
  )
  return end === -1 ? [...first.fields] : first.fields.slice(0, end)
}

/** Whether an answer can only be read when its type is known: it leads to relationships, or a key has several meanings. */
function mustKnowType(planned: readonly Planned[]): boolean {
  const kinds = new Map<string, ShownItem['kind']>()
  return planned
    .flatMap(({ items }) => items)
    .some((item) => {
      const isPlain = item.kind === 'typename' || (item.kind === 'value' && !item.below)
      const other = kinds.get(item.as)
      kinds.set(item.as, item.kind)
      if (item.kind === 'join') return true
      return other !== undefined && (!isPlain || other !== item.kind)
    })
}
