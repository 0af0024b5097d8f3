import { ADMIN } from '../../session/session.ts'
import type { Model, SourceModel } from '../model/model.ts'
import {
  type Field,
  type InputField,
  type NamedType,
  namedType,
  typeText,
} from './graphql-types.ts'
import { fieldsOfSource } from './role-schema.ts'
import { createSchemaContext } from './schema-context.ts'

/** A source with a type that differs from a type of the same name in an earlier source. */
type SourceConflict = { source: string; message: string }

/**
 * Returns the first conflict between the types of sources; null if there is none. Equal types do not conflict, as in
 * Hasura.
 */
export function conflictBetweenSources(model: Model): SourceConflict | null {
  if (model.sources.size < 2) return null
  const roles = shareRowTypes(model) ? [ADMIN, ...rolesOfTables(model)] : [ADMIN]
  for (const role of roles) {
    const conflict = conflictForRole(model, role)
    if (conflict) return conflict
  }
  return null
}

/**
 * Reports whether two sources have row types with the same name. Only then may one role see a conflict that admin does
 * not see.
 */
function shareRowTypes({ sources }: Model): boolean {
  const names = [...sources.values()].flatMap((source) => [...rowTypesOf(source)])
  return new Set(names).size < names.length
}

function rowTypesOf({ tables }: SourceModel): ReadonlySet<string> {
  return new Set([...tables.values()].map(({ rowType }) => rowType))
}

function rolesOfTables({ sources }: Model): ReadonlySet<string> {
  const tables = [...sources.values()].flatMap((source) => [...source.tables.values()])
  return new Set(tables.flatMap(({ permissions }) => [...permissions.keys()]))
}

function conflictForRole(model: Model, role: string): SourceConflict | null {
  const ctx = createSchemaContext(model, role, true)
  const definitions = new Map<string, { source: string; text: string }>()
  for (const source of model.sources.values())
    for (const [name, text] of definitionsIn(fieldsOfSource(ctx, source))) {
      const earlierDefinition = definitions.get(name)
      if (earlierDefinition && earlierDefinition.text !== text)
        return {
          source: source.name,
          message: `Found conflicting definitions for GraphQL type '${name}' in the sources "${source.name}" and "${earlierDefinition.source}": rename the types of a source by its customization`,
        }
      if (!earlierDefinition) definitions.set(name, { source: source.name, text })
    }
  return null
}

/** Returns the definition of each type that the fields use, as text independent of the order of fields and values. */
function definitionsIn(fields: readonly Field[]): ReadonlyMap<string, string> {
  const definitions = new Map<string, string>()
  const queue = fields.flatMap(typesOfField)
  for (let type = queue.pop(); type; type = queue.pop()) {
    if (definitions.has(type.name)) continue
    definitions.set(type.name, definitionOf(type))
    queue.push(...typesBelow(type))
  }
  return definitions
}

function typesBelow(type: NamedType): NamedType[] {
  if (type.kind === 'object') return localFields(type).flatMap(typesOfField)
  if (type.kind === 'input')
    return [...type.fields().values()].map((field) => namedType(field.type))
  return []
}

function typesOfField({ type, args }: Field): NamedType[] {
  return [namedType(type), ...[...args.values()].map((arg) => namedType(arg.type))]
}

/**
 * Returns the fields of a type, except the remote relationships: their types belong to another source or to a remote
 * schema.
 */
function localFields(type: Extract<NamedType, { kind: 'object' }>): Field[] {
  return [...type.fields().values()].filter(({ meaning }) => meaning.kind !== 'remoteRelationship')
}

function definitionOf(type: NamedType): string {
  return JSON.stringify([type.kind, membersOf(type).sort()])
}

function membersOf(type: NamedType): string[] {
  switch (type.kind) {
    case 'object':
      return [...type.fields().values()].map(
        (field) => `${memberText(field)} ${[...field.args.values()].map(memberText).sort()}`,
      )
    case 'input':
      return [...type.fields().values()].map(memberText)
    case 'enum':
      return type.values.map(({ name }) => name)
    default:
      return []
  }
}

function memberText({ name, type }: Pick<InputField, 'name' | 'type'>): string {
  return `${name}: ${typeText(type)}`
}
