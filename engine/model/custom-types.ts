import { Kind, type NamedTypeNode, parseType, type TypeNode } from 'graphql/language/index.js'
import { type Catalog, keyOf } from '../catalog.ts'
import type { CustomTypesMetadata } from '../metadata/metadata.ts'
import { postgresName } from '../scalars.ts'
import { Inconsistent, type Report } from './inconsistency.ts'
import type { ActionRelationship, CustomTypes, Table } from './model.ts'

type TypesInput = {
  metadata: CustomTypesMetadata
  catalog: Catalog
  tables: ReadonlyMap<string, Table>
  errors: Report
}

/** Whether the name of a type can stand in a place. */
export type TypeNames = { input(name: string): boolean; output(name: string): boolean }

/** Resolves the types that actions alone use; what is wrong with them is reported one by one. */
export function resolveCustomTypes({ metadata, catalog, tables, errors }: TypesInput): {
  customTypes: CustomTypes
  names: TypeNames
} {
  const subject = { type: 'custom_types', name: 'custom_types', definition: metadata }
  errors.attempt(subject, () => checkNames(metadata))
  const relationships = metadata.objects.map((object) => {
    const found = (object.relationships ?? []).flatMap(
      (relationship) =>
        errors.attempt(subject, () => relationshipOf(relationship, object, tables)) ?? [],
    )
    return [object.name, found] as const
  })
  const scalar = scalarNames(metadata, catalog)
  const enums = new Set(metadata.enums.map(({ name }) => name))
  const leaf = (name: string) => scalar(name) || enums.has(name)
  const report = (kind: string) => (type: Composite, wrong: Field) =>
    errors.attempt(subject, () => {
      throw new Inconsistent(
        `the type "${baseOf(wrong.type)}" for field "${wrong.name}" in ${kind} type "${type.name}" does not exist`,
      )
    })
  const objects = sound(metadata.objects, leaf, report('object'))
  const inputs = sound(metadata.input_objects, leaf, report('input object'))
  return {
    customTypes: { metadata, relationships: new Map(relationships) },
    names: {
      input: (name) => leaf(name) || inputs.has(name),
      output: (name) => scalar(name) || objects.has(name),
    },
  }
}

/** The name that is left of `[T!]!` without lists and marks; what is no type is left as it is. */
export function baseOf(text: string): string {
  try {
    return named(parseType(text)).name.value
  } catch {
    return text
  }
}

function named(node: TypeNode): NamedTypeNode {
  return node.kind === Kind.NAMED_TYPE ? node : named(node.type)
}

function checkNames({ objects, input_objects, scalars, enums }: CustomTypesMetadata) {
  const all = [...scalars, ...enums, ...input_objects, ...objects].map(({ name }) => name)
  const twice = new Set(all.filter((name, i) => all.indexOf(name) !== i))
  if (twice.size > 0)
    throw new Inconsistent(
      `duplicate type names: ${[...twice].map((name) => `"${name}"`).join(', ')}`,
    )
}

/** Scalars are those of the actions, of GraphQL, and of the database. */
function scalarNames({ scalars }: CustomTypesMetadata, { types }: Catalog) {
  const own = new Set([...scalars.map(({ name }) => name), 'ID'])
  return (name: string) => own.has(name) || types.has(postgresName(name))
}

type Field = { name: string; type: string }
type Composite = { name: string; fields: readonly Field[] }

/** The types all of whose fields, and theirs, have a type. */
function sound(
  types: readonly Composite[],
  leaf: (name: string) => boolean,
  report: (type: Composite, wrong: Field) => void,
): ReadonlySet<string> {
  const left = new Map(types.map((type) => [type.name, type]))
  const isWrong = ({ type }: Field) => !leaf(baseOf(type)) && !left.has(baseOf(type))
  const wrong = types.flatMap((type) =>
    type.fields.filter(isWrong).map((field) => ({ type, field })),
  )
  for (const { type, field } of wrong) report(type, field)
  for (let before = -1; before !== left.size; ) {
    before = left.size
    for (const { name, fields } of types) if (fields.some(isWrong)) left.delete(name)
  }
  return new Set(left.keys())
}

type ObjectMetadata = CustomTypesMetadata['objects'][number]
type RelationshipMetadata = NonNullable<ObjectMetadata['relationships']>[number]

function relationshipOf(
  metadata: RelationshipMetadata,
  object: ObjectMetadata,
  tables: ReadonlyMap<string, Table>,
): ActionRelationship {
  const remote = tables.get(keyOf(metadata.remote_table))
  if (!remote)
    throw new Inconsistent(
      `the relationship "${metadata.name}" of "${object.name}" refers to a table that is not tracked: "${keyOf(metadata.remote_table)}"`,
    )
  const mapping = Object.entries(metadata.field_mapping).map(([field, name]) => {
    if (!object.fields.some((candidate) => candidate.name === field))
      throw new Inconsistent(
        `the field "${field}" for relationship "${metadata.name}" in object type "${object.name}" does not exist`,
      )
    const column = [...remote.columns.values()].find((candidate) => candidate.name === name)
    if (!column)
      throw new Inconsistent(`column "${name}" does not exist in table "${keyOf(remote)}"`)
    return { field, column }
  })
  return {
    name: metadata.name,
    kind: metadata.type,
    description: metadata.description ?? null,
    remote,
    mapping,
  }
}
