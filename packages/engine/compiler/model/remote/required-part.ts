import { type ConstValueNode, Kind, print } from 'graphql/language/index.js'
import { Inconsistent } from '../inconsistency.ts'
import {
  type RemoteField,
  type RemoteFields,
  type RemoteInput,
  type RemoteInputs,
  type RemotePreset,
  type RemoteType,
  type RemoteTypeRef,
  type RemoteTypes,
  remoteTypeName,
  remoteTypeText,
} from '../remote-types.ts'

/**
 * Checks that a role's types are a part of a remote schema. Each type, field and argument must exist there and have the
 * same type. A default must be the same too, and a preset must fit its argument. No required argument may be missing.
 *
 * @throws Inconsistent
 */
export function requirePart(part: RemoteTypes, allTypes: RemoteTypes): void {
  for (const type of part.types.values()) {
    const upstream = allTypes.types.get(type.name)
    if (upstream?.kind !== type.kind)
      throw new Inconsistent(
        `${type.kind} type "${type.name}" does not exist in the upstream remote schema`,
      )
    requireTypePart(type, upstream, part)
  }
}

function requireTypePart(type: RemoteType, upstream: RemoteType, part: RemoteTypes): void {
  const { name } = type
  if (type.kind === 'enum' && upstream.kind === 'enum')
    requireNames(name, 'enum values', namesOf(type.values), namesOf(upstream.values))
  if (type.kind === 'union' && upstream.kind === 'union')
    requireNames(name, 'member types', type.members, upstream.members)
  if (type.kind === 'object' && upstream.kind === 'object')
    requireNames(name, 'interfaces', type.interfaces, upstream.interfaces)
  if (type.kind === 'input' && upstream.kind === 'input')
    requireInputs(name, type.fields, upstream.fields, part)
  if (
    (type.kind === 'object' || type.kind === 'interface') &&
    (upstream.kind === 'object' || upstream.kind === 'interface')
  )
    requireFields(name, type.fields, upstream.fields, part)
}

function namesOf(items: readonly { name: string }[]): string[] {
  return items.map(({ name }) => name)
}

function requireNames(
  type: string,
  plural: string,
  names: readonly string[],
  upstreamNames: readonly string[],
): void {
  const missingNames = names.filter((name) => !upstreamNames.includes(name))
  if (missingNames.length === 0) return
  const list = missingNames.map((name) => `"${name}"`).join(', ')
  throw new Inconsistent(`"${type}" has ${plural} that the upstream type does not have: ${list}`)
}

function requireFields(
  type: string,
  fields: RemoteFields,
  upstreamFields: RemoteFields,
  part: RemoteTypes,
): void {
  requireNames(type, 'fields', [...fields.keys()], [...upstreamFields.keys()])
  for (const field of fields.values()) {
    const upstream = upstreamFields.get(field.name)
    if (!upstream) continue
    requireSameType(`${type}.${field.name}`, field, upstream)
    requireInputs(`${type}.${field.name}`, field.args, upstream.args, part)
  }
}

function requireInputs(
  owner: string,
  inputs: RemoteInputs,
  upstreamInputs: RemoteInputs,
  part: RemoteTypes,
): void {
  requireNames(owner, 'arguments', [...inputs.keys()], [...upstreamInputs.keys()])
  for (const upstream of upstreamInputs.values()) {
    const input = inputs.get(upstream.name)
    const isNeeded = upstream.type.kind === 'required' && upstream.defaultValue === null
    if (!input && isNeeded)
      throw new Inconsistent(`"${owner}" lacks the required argument "${upstream.name}"`)
    if (input) requireInput(`${owner}.${upstream.name}`, input, upstream, part)
  }
}

function requireInput(
  place: string,
  input: RemoteInput,
  upstream: RemoteInput,
  part: RemoteTypes,
): void {
  requireSameType(place, input, upstream)
  const { defaultValue, preset } = input
  if (defaultValue !== null && text(defaultValue) !== text(upstream.defaultValue))
    throw new Inconsistent(
      `expected the default value of "${place}" to be ${text(upstream.defaultValue)}, but received ${text(defaultValue)}`,
    )
  if (preset) requirePreset(place, preset, input.type, part)
}

function text(value: ConstValueNode | null): string {
  return value === null ? 'absent' : print(value)
}

function requireSameType(
  place: string,
  { type: permittedType }: Pick<RemoteField, 'type'>,
  { type: upstreamType }: Pick<RemoteField, 'type'>,
): void {
  if (remoteTypeText(permittedType) === remoteTypeText(upstreamType)) return
  throw new Inconsistent(
    `expected type of "${place}" to be ${remoteTypeText(upstreamType)}, but received ${remoteTypeText(permittedType)}`,
  )
}

function requirePreset(
  place: string,
  preset: RemotePreset,
  type: RemoteTypeRef,
  { types }: RemoteTypes,
): void {
  const namedType = types.get(remoteTypeName(type))
  const inner = type.kind === 'required' ? type.of : type
  const isLeaf = inner.kind === 'named' && namedType?.kind !== 'input'
  const fits = preset.kind === 'session' ? isLeaf : valueFits(preset.value, type, types)
  if (!fits)
    throw new Inconsistent(`the preset of "${place}" is not a value of ${remoteTypeText(type)}`)
}

function valueFits(
  value: ConstValueNode,
  type: RemoteTypeRef,
  types: RemoteTypes['types'],
): boolean {
  if (type.kind === 'required') return value.kind !== Kind.NULL && valueFits(value, type.of, types)
  if (value.kind === Kind.NULL) return true
  if (type.kind === 'list')
    return value.kind === Kind.LIST
      ? value.values.every((item) => valueFits(item, type.of, types))
      : valueFits(value, type.of, types)
  const namedType = types.get(type.name)
  if (namedType?.kind === 'input')
    return (
      value.kind === Kind.OBJECT &&
      value.fields.every((member) => {
        const field = namedType.fields.get(member.name.value)
        return field !== undefined && valueFits(member.value, field.type, types)
      })
    )
  if (namedType?.kind === 'enum')
    return value.kind === Kind.ENUM && namedType.values.some(({ name }) => name === value.value)
  const kinds = SCALAR_KINDS[type.name]
  return kinds === undefined || kinds.includes(value.kind)
}

const SCALAR_KINDS: Readonly<Record<string, readonly Kind[]>> = {
  Int: [Kind.INT],
  Float: [Kind.INT, Kind.FLOAT],
  String: [Kind.STRING],
  Boolean: [Kind.BOOLEAN],
  ID: [Kind.STRING, Kind.INT],
}
