import { quotedNames } from '../../../json/quoted-names.ts'
import type { Metadata } from '../../../metadata/metadata.ts'
import type {
  RemoteFieldPath,
  RemoteRelationshipMetadata,
} from '../../../metadata/remote-schemas.ts'
import { catalogKey } from '../../../postgres/catalog.ts'
import { type InconsistencyReport, Inconsistent } from '../inconsistency.ts'
import type {
  Column,
  ComputedField,
  RemoteRelationship,
  RemoteSchema,
  RemoteStep,
  SourceModel,
  ToRemoteField,
  ToTable,
} from '../model.ts'
import {
  type RemoteField,
  type RemoteType,
  type RemoteTypeRef,
  type RemoteTypes,
  remoteTypeName,
  rootFieldsOf,
} from '../remote-types.ts'
import type { UnfinishedSource, UnfinishedTable } from '../tables/tables.ts'
import { leftFieldsOf } from './left-fields.ts'

export type RemoteRelationshipsInput = {
  metadata: Metadata
  sources: ReadonlyMap<string, UnfinishedSource>
  remoteSchemas: ReadonlyMap<string, RemoteSchema>
  errors: InconsistencyReport
}

export function addRemoteRelationships(input: RemoteRelationshipsInput): void {
  for (const schema of input.remoteSchemas.values()) addToTypes(schema, input)
  for (const { tables } of input.sources.values())
    for (const table of tables.values())
      for (const metadata of table.metadata.remote_relationships) addToTable(table, metadata, input)
}

function addToTable(
  table: UnfinishedTable,
  metadata: RemoteRelationshipMetadata,
  input: RemoteRelationshipsInput,
): void {
  const { name } = metadata
  const subject = {
    type: 'remote_relationship',
    name: `remote_relationship ${name} in table ${catalogKey(table)} in source ${table.source.name}`,
    source: table.source.name,
    prefix: `in table "${catalogKey(table)}": in remote relationship "${name}"`,
    definition: { ...metadata, source: table.source.name, table: table.metadata.table },
  }
  const resolvedRelationship = input.errors.attempt(subject, () => {
    const isFieldName = table.columns.has(name) || table.relationships.has(name)
    if (isFieldName || table.computedFields.has(name))
      throw new Inconsistent(`the table has another field with the name "${name}"`)
    const relationship = resolveRelationship(metadata, table.rowType, input)
    const leftValues = leftFieldsOf(relationship).map(
      (field) => [field, leftValue(table, field)] as const,
    )
    return { ...relationship, leftFields: new Map(leftValues) }
  })
  if (resolvedRelationship) table.remoteRelationships.set(name, resolvedRelationship)
}

/**
 * Returns the column with a name, or the computed field with this name if it is a scalar without arguments from the
 * caller.
 */
function leftValue(table: UnfinishedTable, name: string): Column | ComputedField {
  const column = [...table.columns.values()].find((candidate) => candidate.name === name)
  const computedField = table.computedFields.get(name)
  const isPlain =
    computedField?.returns.kind === 'scalar' &&
    computedField.args.every(({ kind }) => kind !== 'caller')
  const value = column ?? (isPlain ? computedField : undefined)
  if (value) return value
  throw new Inconsistent(`table "${catalogKey(table)}" has no field named "${name}"`)
}

function addToTypes(schema: RemoteSchema, input: RemoteRelationshipsInput): void {
  const metadata = input.metadata.remote_schemas.find(({ name }) => name === schema.name)
  const all = new Map<string, ReadonlyMap<string, RemoteRelationship>>()
  for (const { type_name, relationships } of metadata?.remote_relationships ?? []) {
    const resolvedRelationships = relationships.flatMap((relationship) => {
      const resolvedRelationship = resolveOfType(schema, type_name, relationship, input)
      return resolvedRelationship
        ? [[resolvedRelationship.name, resolvedRelationship] as const]
        : []
    })
    all.set(type_name, new Map(resolvedRelationships))
  }
  Object.assign(schema, { relationships: all })
}

function resolveOfType(
  schema: RemoteSchema,
  typeName: string,
  metadata: RemoteRelationshipMetadata,
  input: RemoteRelationshipsInput,
): RemoteRelationship | null {
  const { name } = metadata
  const subject = {
    type: 'remote_schema_remote_relationship',
    name: `remote_schema_remote_relationship ${name} on type ${typeName} in remote schema ${schema.name}`,
    prefix: `in remote schema "${schema.name}": in remote relationship "${name}"`,
    definition: { ...metadata, remote_schema: schema.name, type_name: typeName },
  }
  return input.errors.attempt(subject, () => {
    const type = schema.types.types.get(typeName)
    if (type?.kind !== 'object')
      throw new Inconsistent(`type ${typeName} is not an object type of the remote schema`)
    const fieldNames = [...type.fields.keys()].map((field) =>
      schema.customization.fieldName(typeName, field),
    )
    if (fieldNames.includes(name))
      throw new Inconsistent(`the type ${typeName} has another field with the name "${name}"`)
    const owner = schema.customization.typeName(typeName)
    const relationship = resolveRelationship(metadata, owner, input)
    for (const field of leftFieldsOf(relationship)) requireLeftField(type, field, schema.types)
    return relationship
  })
}

/** Checks that a field of the left side exists, is a scalar or an enum, and has no required arguments. */
function requireLeftField(
  type: Extract<RemoteType, { kind: 'object' }>,
  name: string,
  { types }: RemoteTypes,
): void {
  const field = type.fields.get(name)
  const kind = field && (types.get(remoteTypeName(field.type))?.kind ?? 'scalar')
  const isLeaf = kind === 'scalar' || kind === 'enum'
  if (field && isLeaf && [...field.args.values()].every((arg) => arg.type.kind !== 'required'))
    return
  throw new Inconsistent(
    `type ${type.name} has no scalar or enum field "${name}" that needs no arguments, to join on`,
  )
}

function resolveRelationship(
  { name, definition }: RemoteRelationshipMetadata,
  owner: string,
  input: RemoteRelationshipsInput,
): RemoteRelationship {
  const target =
    'to_source' in definition
      ? resolveToTable(definition.to_source, input)
      : resolveToField(definition.to_remote_schema, input)
  return { name, key: `${owner}_${name}`, target }
}

type Definition = RemoteRelationshipMetadata['definition']
type ToSourceMetadata = Extract<Definition, { to_source: unknown }>['to_source']
type ToSchemaMetadata = Extract<Definition, { to_remote_schema: unknown }>['to_remote_schema']

function resolveToTable(
  { source, table: name, relationship_type, field_mapping }: ToSourceMetadata,
  { sources, metadata }: RemoteRelationshipsInput,
): ToTable {
  const table = requireTargetSource(sources, metadata, source).tables.get(catalogKey(name))
  if (!table)
    throw new Inconsistent(`table "${catalogKey(name)}" does not exist in source: ${source}`)
  const mapping = Object.entries(field_mapping).map(([field, to]) => {
    const column = [...table.columns.values()].find((candidate) => candidate.name === to)
    if (!column) throw new Inconsistent(`table "${catalogKey(table)}" has no column named "${to}"`)
    return { field, column }
  })
  if (mapping.length === 0) throw new Inconsistent('the mapping of fields is empty')
  return { kind: 'table', table, cardinality: relationship_type, mapping }
}

function requireTargetSource(
  sources: ReadonlyMap<string, SourceModel>,
  metadata: Metadata,
  name: string,
): SourceModel {
  const source = sources.get(name)
  if (source) return source
  const exists = metadata.sources.some((candidate) => candidate.name === name)
  const fault = exists ? 'is inconsistent' : 'does not exist'
  throw new Inconsistent(`source with name "${name}" ${fault}`)
}

function resolveToField(
  { remote_schema, lhs_fields, remote_field }: ToSchemaMetadata,
  { remoteSchemas }: RemoteRelationshipsInput,
): ToRemoteField {
  const schema = remoteSchemas.get(remote_schema)
  if (!schema) throw new Inconsistent(`remote schema "${remote_schema}" does not exist`)
  const steps = stepsOf(remote_field)
  const target: ToRemoteField = { kind: 'field', schema, steps }
  const unlistedFields = leftFieldsOf({ name: '', key: '', target }).filter(
    (f) => !lhs_fields.includes(f),
  )
  if (unlistedFields.length > 0)
    throw new Inconsistent(
      `the arguments refer to ${quotedNames(unlistedFields)}, but lhs_fields does not list them`,
    )
  requireSteps(schema.types, steps)
  return target
}

function stepsOf(path: RemoteFieldPath): RemoteStep[] {
  return Object.entries(path).flatMap(([field, { arguments: args, field: nestedType }]) => [
    { field, args },
    ...(nestedType ? stepsOf(nestedType) : []),
  ])
}

function requireSteps(types: RemoteTypes, steps: readonly RemoteStep[]): void {
  let fields = rootFieldsOf(types, 'query')
  for (const [i, step] of steps.entries()) {
    const field = fields.get(step.field)
    if (!field)
      throw new Inconsistent(`field with name "${step.field}" not found in the remote schema`)
    const isLast = i === steps.length - 1
    requireArguments(field, step, isLast)
    if (!isLast) fields = fieldsBelow(field, types)
  }
}

function requireArguments(
  { name, args: fieldArguments }: RemoteField,
  { args }: RemoteStep,
  isLast: boolean,
) {
  const unknown = Object.keys(args).find((arg) => !fieldArguments.has(arg))
  if (unknown !== undefined)
    throw new Inconsistent(`field "${name}" has no argument named "${unknown}"`)
  const missingArgument = [...fieldArguments.values()].find(
    (arg) =>
      arg.type.kind === 'required' && arg.defaultValue === null && !Object.hasOwn(args, arg.name),
  )
  if (missingArgument && !isLast)
    throw new Inconsistent(
      `the required argument "${missingArgument.name}" of field "${name}" is missing`,
    )
}

/** Returns the fields of the object that a field returns. */
function fieldsBelow({ name, type }: RemoteField, { types }: RemoteTypes) {
  const nestedType = types.get(remoteTypeName(type))
  if (hasList(type) || (nestedType?.kind !== 'object' && nestedType?.kind !== 'interface'))
    throw new Inconsistent(
      `field "${name}" does not return a single object, so no field can be nested in it`,
    )
  return nestedType.fields
}

function hasList(type: RemoteTypeRef): boolean {
  return type.kind === 'list' || (type.kind === 'required' && hasList(type.of))
}
