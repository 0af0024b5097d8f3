import type { Bindings } from '../../compiler/ir/ir.ts'
import type { RemoteStep } from '../../compiler/model/model.ts'
import {
  type RemoteInputs,
  type RemoteTypeRef,
  type RemoteTypes,
  remoteTypeName,
  remoteTypeText,
  rootFieldsOf,
} from '../../compiler/model/remote-types.ts'
import type {
  RemoteJoin,
  SentField,
  SentMember,
  SentValue,
} from '../../compiler/plan/sent-field.ts'
import { ownValue } from '../../json/own-value.ts'
import { isList, isRecord } from '../../json/record.ts'

type FieldJoin = Extract<RemoteJoin, { kind: 'field' }>

/** The fields that a remote server is asked for, one for each object of the left side. */
export function joinedFields(
  join: FieldJoin,
  lefts: readonly (readonly unknown[])[],
  bindings: Bindings,
): SentField[] {
  // Read once, so that what the caller gives is sent once, for all of them.
  const given = join.field.args(bindings)
  return lefts.map((values, i) => {
    const left = Object.fromEntries(join.left.map((name, at) => [name, values[at] ?? null]))
    return joinedField(join, given, { left, types: join.schema.types.types, alias: joinAlias(i) })
  })
}

/** The key under which the answer for the object of this number is. */
export function joinAlias(number: number): string {
  return `join_${number}`
}

function joinedField(
  join: FieldJoin,
  given: readonly SentMember[],
  { left, types, alias }: Filling & { alias: string },
): SentField {
  const last = join.steps.length - 1
  let fields = rootFieldsOf(join.schema.types, 'query')
  const steps = join.steps.map((step, i) => {
    const field = fields.get(step.field)
    const type = field && types.get(remoteTypeName(field.type))
    fields = type?.kind === 'object' || type?.kind === 'interface' ? type.fields : new Map()
    const own = templateMembers(step.args, field?.args ?? new Map(), { left, types })
    return { step, args: i === last ? mergeMembers(given, own) : own }
  })
  return (
    steps.reduceRight<SentField | null>(
      (below, { step, args }, i) =>
        stepField(step, args, { below, alias: i === 0 ? alias : step.field, join }),
      null,
    ) ?? join.field
  )
}

type Below = { below: SentField | null; alias: string; join: FieldJoin }

function stepField(
  { field: name }: RemoteStep,
  args: readonly SentMember[],
  { below, alias: as, join }: Below,
): SentField {
  const nested = below && {
    fields: [below],
    on: [],
    shown: { kind: 'object', items: [] } as const,
  }
  return { as, name, args: () => args, key: '', below: nested ?? join.field.below }
}

/** The value at the end of the steps; null if there is no object on the way. */
export function joinedValue({ steps }: FieldJoin, first: unknown): unknown {
  return steps
    .slice(1)
    .reduce<unknown>(
      (value, { field }) => (isRecord(value) ? (ownValue(value, field) ?? null) : null),
      first ?? null,
    )
}

type Filling = { left: Readonly<Record<string, unknown>>; types: RemoteTypes['types'] }

function templateMembers(
  template: Readonly<Record<string, unknown>>,
  inputs: RemoteInputs,
  filling: Filling,
): SentMember[] {
  return Object.entries(template).flatMap(([name, value]) => {
    const input = inputs.get(name)
    return input ? [{ name, value: templateValue(value, input.type, filling) }] : []
  })
}

/** A value of the relationship's definition, in which `$name` stands for a field of the left side. */
function templateValue(template: unknown, type: RemoteTypeRef, filling: Filling): SentValue {
  if (type.kind === 'required') {
    const value = templateValue(template, type.of, filling)
    return value.kind === 'json' ? { ...value, type: remoteTypeText(type) } : value
  }
  if (type.kind === 'list' && isList(template))
    return {
      kind: 'list',
      items: template.map((item) => templateValue(item, type.of, filling)),
    }
  const named = type.kind === 'named' ? filling.types.get(type.name) : undefined
  if (named?.kind === 'input' && isRecord(template))
    return { kind: 'object', members: templateMembers(template, named.fields, filling) }
  const isField = typeof template === 'string' && template.startsWith('$')
  const value = isField ? (ownValue(filling.left, template.slice(1)) ?? null) : template
  return { kind: 'json', type: remoteTypeText(type), value }
}

/** The caller's arguments with those of the relationship, which count more. */
function mergeMembers(given: readonly SentMember[], own: readonly SentMember[]): SentMember[] {
  const merged = new Map(given.map((member) => [member.name, member.value]))
  for (const { name, value } of own) {
    const other = merged.get(name)
    const both = other?.kind === 'object' && value.kind === 'object'
    merged.set(
      name,
      both ? { kind: 'object', members: mergeMembers(other.members, value.members) } : value,
    )
  }
  return [...merged].map(([name, value]) => ({ name, value }))
}
