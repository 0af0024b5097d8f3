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

/** A source that has a type of which a source before it has another one by the same name. */
type SourceConflict = { source: string; message: string }

/** The first conflict between the types of sources; null if there is none. As in Hasura, equal types are one. */
export function conflictBetweenSources(model: Model): SourceConflict | null {
  if (model.sources.size < 2) return null
  const roles = shareRowTypes(model) ? [ADMIN, ...rolesOfTables(model)] : [ADMIN]
  for (const role of roles) {
    const conflict = conflictForRole(model, role)
    if (conflict) return conflict
  }
  return null
}

/** Whether two sources have rows of types with one name; only then roles may see different fields of them. */
function shareRowTypes({ sources }: Model): boolean {
  const all = [...sources.values()].flatMap((source) => [...rowTypesOf(source)])
  return new Set(all).size < all.length
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
  const known = new Map<string, { source: string; text: string }>()
  for (const source of model.sources.values())
    for (const [name, text] of definitionsIn(fieldsOfSource(ctx, source))) {
      const other = known.get(name)
      if (other && other.text !== text)
        return {
          source: source.name,
          message: `Found conflicting definitions for GraphQL type '${name}'. That of source "${source.name}" differs from that of source "${other.source}": give the types of a source other names by its customization`,
        }
      if (!other) known.set(name, { source: source.name, text })
    }
  return null
}

/** The definition of each type below the fields of a source as text, in which the order of fields and values does not show. */
function definitionsIn(fields: readonly Field[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const waiting = fields.flatMap(typesOfField)
  for (let type = waiting.pop(); type; type = waiting.pop()) {
    if (found.has(type.name)) continue
    found.set(type.name, definitionOf(type))
    waiting.push(...typesBelow(type))
  }
  return found
}

function typesBelow(type: NamedType): NamedType[] {
  if (type.kind === 'object') return ownFields(type).flatMap(typesOfField)
  if (type.kind === 'input')
    return [...type.fields().values()].map((field) => namedType(field.type))
  return []
}

function typesOfField({ type, args }: Field): NamedType[] {
  return [namedType(type), ...[...args.values()].map((arg) => namedType(arg.type))]
}

/** Without those that lead to another source or to a remote schema. */
function ownFields(type: Extract<NamedType, { kind: 'object' }>): Field[] {
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
