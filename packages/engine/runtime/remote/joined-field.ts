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

/** Returns the fields to request from a remote server, one for each entry of `joinValues`. */
export function joinedFields(
  join: FieldJoin,
  joinValues: readonly (readonly unknown[])[],
  bindings: Bindings,
): SentField[] {
  // The caller's arguments are read once, so that all fields share them, and the request contains them only once.
  const callerArgs = join.field.args(bindings)
  return joinValues.map((values, i) => {
    const left = Object.fromEntries(
      join.leftFields.map((name, index) => [name, values[index] ?? null]),
    )
    return joinedField(join, callerArgs, {
      left,
      types: join.schema.types.types,
      alias: joinAlias(i),
    })
  })
}

/** Returns the alias of the field that is requested for the entry of `joinValues` with this index. */
export function joinAlias(number: number): string {
  return `join_${number}`
}

function joinedField(
  join: FieldJoin,
  callerArgs: readonly SentMember[],
  { left, types, alias }: TemplateContext & { alias: string },
): SentField {
  const last = join.steps.length - 1
  let fields = rootFieldsOf(join.schema.types, 'query')
  const steps = join.steps.map((step, i) => {
    const field = fields.get(step.field)
    const type = field && types.get(remoteTypeName(field.type))
    fields = type?.kind === 'object' || type?.kind === 'interface' ? type.fields : new Map()
    const stepArgs = templateMembers(step.args, field?.args ?? new Map(), { left, types })
    return { step, args: i === last ? mergeMembers(callerArgs, stepArgs) : stepArgs }
  })
  return (
    steps.reduceRight<SentField | null>(
      (inner, { step, args }, i) =>
        stepField(step, args, { inner, alias: i === 0 ? alias : step.field, join }),
      null,
    ) ?? join.field
  )
}

/** The rest of a step: the field inside it, its alias, and its relationship. */
type StepContext = { inner: SentField | null; alias: string; join: FieldJoin }

function stepField(
  { field: name }: RemoteStep,
  args: readonly SentMember[],
  { inner, alias: as, join }: StepContext,
): SentField {
  const nested = inner && {
    fields: [inner],
    typeSelections: [],
    response: { kind: 'object', items: [] } as const,
  }
  return { as, name, args: () => args, key: '', below: nested ?? join.field.below }
}

/** Returns the value at the end of the steps; null if a value on the way is not an object. */
export function joinedValue({ steps }: FieldJoin, first: unknown): unknown {
  return steps
    .slice(1)
    .reduce<unknown>(
      (value, { field }) => (isRecord(value) ? (ownValue(value, field) ?? null) : null),
      first ?? null,
    )
}

type TemplateContext = { left: Readonly<Record<string, unknown>>; types: RemoteTypes['types'] }

function templateMembers(
  template: Readonly<Record<string, unknown>>,
  inputs: RemoteInputs,
  context: TemplateContext,
): SentMember[] {
  return Object.entries(template).flatMap(([name, value]) => {
    const input = inputs.get(name)
    return input ? [{ name, value: templateValue(value, input.type, context) }] : []
  })
}

/** Fills a value of the relationship's definition, where `$name` is a field of the left side. */
function templateValue(
  template: unknown,
  type: RemoteTypeRef,
  context: TemplateContext,
): SentValue {
  if (type.kind === 'required') {
    const value = templateValue(template, type.of, context)
    return value.kind === 'json' ? { ...value, type: remoteTypeText(type) } : value
  }
  if (type.kind === 'list' && isList(template))
    return {
      kind: 'list',
      items: template.map((item) => templateValue(item, type.of, context)),
    }
  const namedType = type.kind === 'named' ? context.types.get(type.name) : undefined
  if (namedType?.kind === 'input' && isRecord(template))
    return { kind: 'object', members: templateMembers(template, namedType.fields, context) }
  const isField = typeof template === 'string' && template.startsWith('$')
  const value = isField ? (ownValue(context.left, template.slice(1)) ?? null) : template
  return { kind: 'json', type: remoteTypeText(type), value }
}

/** Merges the caller's arguments with the relationship's arguments, which win. */
function mergeMembers(
  callerArgs: readonly SentMember[],
  joinArgs: readonly SentMember[],
): SentMember[] {
  const mergedValues = new Map(callerArgs.map((member) => [member.name, member.value]))
  for (const { name, value } of joinArgs) {
    const callerValue = mergedValues.get(name)
    const areObjects = callerValue?.kind === 'object' && value.kind === 'object'
    mergedValues.set(
      name,
      areObjects
        ? { kind: 'object', members: mergeMembers(callerValue.members, value.members) }
        : value,
    )
  }
  return [...mergedValues].map(([name, value]) => ({ name, value }))
}
