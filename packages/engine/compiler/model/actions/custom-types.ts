import { Kind, type NamedTypeNode, parseType, type TypeNode } from 'graphql/language/index.js'
import { quotedNames } from '../../../json/quoted-names.ts'
import type { CustomTypesMetadata } from '../../../metadata/actions.ts'
import { catalogKey } from '../../../postgres/catalog.ts'
import { isKnownType, postgresTypeName } from '../../../postgres/scalars.ts'
import type { InconsistencyReport } from '../inconsistency.ts'
import { refuseForReasons } from '../inconsistency.ts'
import type { ActionRelationship, CustomTypes, SourceModel } from '../model.ts'

type TypesInput = {
  metadata: CustomTypesMetadata
  sources: ReadonlyMap<string, SourceModel>
  /** The names of the base types of all databases. */
  databaseTypes: ReadonlySet<string>
  errors: InconsistencyReport
}

/** Reports whether a type may be used for arguments (`input`) or results (`output`). */
export type TypeNames = { input(name: string): boolean; output(name: string): boolean }

/**
 * Resolves the types of actions. Reports all faults together as a single inconsistency. If there is any fault, no
 * action is served, as in Hasura.
 */
export function resolveCustomTypes({ metadata, sources, databaseTypes, errors }: TypesInput): {
  customTypes: CustomTypes
  names: TypeNames
  /** True if the types have no faults. */
  consistent: boolean
} {
  const problems: string[] = [
    ...problemsWithTables(metadata, sources),
    ...problemsWithDefinitions(metadata),
  ]
  const relationships = metadata.objects.map((object) => {
    const resolvedRelationships = (object.relationships ?? []).flatMap((relationship) => {
      const related = resolveActionRelationship(relationship, object, sources)
      if (typeof related !== 'string') return [related]
      problems.push(related)
      return []
    })
    return [object.name, resolvedRelationships] as const
  })
  const scalar = scalarTest(metadata, databaseTypes)
  const enums = new Set(metadata.enums.map(({ name }) => name))
  const leaf = (name: string) => scalar(name) || enums.has(name)
  const report = (kind: string) => (type: Composite, field: Field) =>
    problems.push(
      `the type "${baseTypeName(field.type)}" for field "${field.name}" in ${kind} type "${type.name}" does not exist`,
    )
  const objects = namesOf(metadata.objects, leaf, report('object'))
  const inputs = namesOf(metadata.input_objects, leaf, report('input object'))
  const subject = { type: 'custom_types', name: 'custom_types custom_types', definition: metadata }
  errors.attempt(subject, () =>
    refuseForReasons('validation for the given custom types failed', problems),
  )
  return {
    consistent: problems.length === 0,
    customTypes: { metadata, relationships: new Map(relationships) },
    names: {
      input: (name) => leaf(name) || inputs.has(name),
      output: (name) => scalar(name) || objects.has(name),
    },
  }
}

/** Returns the name of the innermost type: `T` for `[T!]!`. A text that is not a type is returned unchanged. */
export function baseTypeName(text: string): string {
  try {
    return innermostType(parseType(text)).name.value
  } catch {
    return text
  }
}

function innermostType(node: TypeNode): NamedTypeNode {
  return node.kind === Kind.NAMED_TYPE ? node : innermostType(node.type)
}

/** Returns a problem for each type that has the name of a table's row type or enum. */
function problemsWithTables(
  { scalars, enums, input_objects, objects }: CustomTypesMetadata,
  sources: ReadonlyMap<string, SourceModel>,
): string[] {
  const tables = [...sources.values()].flatMap((source) => [...source.tables.values()])
  const tableTypeNames = new Set(
    tables.flatMap(({ rowType, enumType }) => [rowType, enumType?.name]),
  )
  return [...scalars, ...enums, ...input_objects, ...objects]
    .filter(({ name }) => tableTypeNames.has(name))
    .map(({ name }) => `the type "${name}" is already defined by a table`)
}

/**
 * Returns a problem for each list with duplicate names of types, fields or enum values, and for each field with
 * arguments. In an object type, relationships count as fields.
 */
function problemsWithDefinitions({
  objects,
  input_objects,
  scalars,
  enums,
}: CustomTypesMetadata): string[] {
  const types = [...scalars, ...enums, ...input_objects, ...objects]
  return [
    ...duplicateNames(types, 'duplicate type names'),
    ...enums.flatMap(({ name, values }) =>
      duplicateNames(
        values.map(({ value }) => ({ name: value })),
        `the enum type "${name}" has duplicate values`,
      ),
    ),
    ...input_objects.flatMap(({ name, fields }) =>
      duplicateNames(fields, `the input object "${name}" has duplicate fields`),
    ),
    ...objects.flatMap(({ name, fields, relationships }) => [
      ...duplicateNames(
        [...fields, ...(relationships ?? [])],
        `the object "${name}" has duplicate fields`,
      ),
      ...fields
        .filter((field) => field.arguments != null)
        .map(() => `the object "${name}" can't have arguments`),
    ]),
  ]
}

function duplicateNames(entries: readonly { name: string }[], messageStart: string): string[] {
  const names = entries.map(({ name }) => name)
  const duplicates = new Set(names.filter((name, i) => names.indexOf(name) !== i))
  return duplicates.size > 0 ? [`${messageStart}: ${quotedNames(duplicates)}`] : []
}

/** Creates a function that reports whether a name is a scalar of the actions, of GraphQL or of a database. */
function scalarTest({ scalars }: CustomTypesMetadata, databaseTypes: ReadonlySet<string>) {
  const customNames = new Set([...scalars.map(({ name }) => name), 'ID'])
  return (name: string) => {
    const type = postgresTypeName(name)
    return customNames.has(name) || databaseTypes.has(type) || isKnownType(type)
  }
}

type Field = { name: string; type: string }
type Composite = { name: string; fields: readonly Field[] }

/**
 * Returns the names of the types. Reports each field with a type that is neither a leaf nor one of these types.
 */
function namesOf(
  types: readonly Composite[],
  leaf: (name: string) => boolean,
  report: (type: Composite, field: Field) => void,
): ReadonlySet<string> {
  const names = new Set(types.map(({ name }) => name))
  for (const type of types)
    for (const field of type.fields) {
      const name = baseTypeName(field.type)
      if (!leaf(name) && !names.has(name)) report(type, field)
    }
  return names
}

type ObjectMetadata = CustomTypesMetadata['objects'][number]
type RelationshipMetadata = NonNullable<ObjectMetadata['relationships']>[number]

/** Returns the relationship, or the reason why it cannot be resolved. */
function resolveActionRelationship(
  metadata: RelationshipMetadata,
  object: ObjectMetadata,
  sources: ReadonlyMap<string, SourceModel>,
): ActionRelationship | string {
  const { name, source, field_mapping } = metadata
  const table = catalogKey(metadata.remote_table)
  const owner = `for relationship "${name}" of object type "${object.name}"`
  const remote = sources.get(source)?.tables.get(table)
  if (!remote) return `the remote table "${table}" ${owner} does not exist`
  const columns = new Map([...remote.columns.values()].map((column) => [column.name, column]))
  const mapping: ActionRelationship['mapping'][number][] = []
  for (const [field, columnName] of Object.entries(field_mapping)) {
    const objectField = object.fields.find((candidate) => candidate.name === field)
    const where = `the field "${field}" for relationship "${name}" in object type "${object.name}"`
    if (!objectField) return `${where} does not exist`
    if (isListType(objectField.type)) return `the type of ${where} is a list type`
    const column = columns.get(columnName)
    if (!column)
      return `the column "${columnName}" of remote table "${table}" ${owner} does not exist`
    mapping.push({ field, column })
  }
  const { type: kind, description = null } = metadata
  return { name, kind, description, remote, mapping }
}

function isListType(type: string): boolean {
  return type.trimStart().startsWith('[')
}
