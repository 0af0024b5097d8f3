import type { PgType } from '../../postgres/catalog.ts'
import { scalarOf, sqlTypeName } from '../../postgres/scalars.ts'
import { elementType } from '../../postgres/values.ts'
import { ADMIN } from '../../session/session.ts'
import type {
  Column,
  EnumType as DatabaseEnum,
  Model,
  SourceModel,
  Table,
  TablePermissions,
} from '../model/model.ts'
import { createSourceNaming, type Naming } from '../model/naming.ts'
import { allPermissions, NO_PERMISSIONS } from '../model/tables/permissions.ts'
import {
  type EnumType,
  type Field,
  type InputField,
  type InputType,
  type InterfaceType,
  listType,
  type NamedType,
  type ObjectType,
  requiredType,
  type ScalarType,
  type TypeRef,
} from './graphql-types.ts'

/**
 * The state that the builders of a role's schema share. Each named type of a source is built once for this source,
 * because two sources may have types with the same name and different columns. Each other type is built once.
 */
export type SchemaContext = {
  model: Model
  role: string
  /** The naming of types and fields in this context. */
  naming: Naming
  /** Returns the context for the types of a source. */
  in(source: SourceModel): SchemaContext
  /** Returns the role's permissions on a table. */
  access(table: Table): TablePermissions
  /** The changes that this kind of schema makes to the types of rows. */
  rows: RowTypes
  object(
    name: string,
    description: string | null,
    fields: () => ReadonlyMap<string, Field>,
    interfaces?: () => readonly InterfaceType[],
  ): ObjectType
  interfaceType(
    name: string,
    description: string,
    below: Pick<InterfaceType, 'fields' | 'members'>,
  ): InterfaceType
  input(
    name: string,
    description: string | null,
    fields: () => ReadonlyMap<string, InputField>,
  ): InputType
  enumeration(name: string, build: () => Omit<EnumType, 'kind' | 'name'>): EnumType
  scalar(name: string, type: PgType | null, description?: string | null): ScalarType
  /** Returns a type of a remote schema by its name in the engine's schema. */
  remoteType(name: string, build: () => NamedType): NamedType
}

/** The changes that a kind of schema (Relay) makes to the types of rows. */
export type RowTypes = {
  /** Returns the fields of a table's rows. `common` are the fields that the rows have in every kind of schema. */
  fields(ctx: SchemaContext, table: Table, common: readonly Field[]): readonly Field[]
  interfaces(ctx: SchemaContext, table: Table): readonly InterfaceType[]
}

const COMMON_ROWS: RowTypes = { fields: (_ctx, _table, common) => common, interfaces: () => [] }

/**
 * Creates the context for types outside sources. With `backendOnly`, permissions that are marked `backend_only` apply.
 */
export function createSchemaContext(
  model: Model,
  role: string,
  backendOnly: boolean,
  rows = COMMON_ROWS,
): SchemaContext {
  const interfaceTypes = new Map<string, InterfaceType>()
  const remoteTypes = new Map<string, NamedType>()
  const permissions = new Map<Table, TablePermissions>()
  const sources = new Map<SourceModel, SchemaContext>()
  const sharedContext: SharedContext = {
    model,
    role,
    in: (source) =>
      buildOnce(sources, source, () => contextWithNaming(source.naming, sharedContext)),
    access: (table) =>
      buildOnce(permissions, table, () => rolePermissions(table, role, backendOnly)),
    rows,
    interfaceType: (name, description, { fields, members }) =>
      buildOnce(interfaceTypes, name, () => ({
        kind: 'interface',
        name,
        description,
        fields: buildLazily(fields),
        members: buildLazily(members),
      })),
    remoteType: (name, build) => buildOnce(remoteTypes, name, build),
  }
  return contextWithNaming(createSourceNaming(undefined, model.settings), sharedContext)
}

type SharedContext = Omit<SchemaContext, 'naming' | 'object' | 'input' | 'enumeration' | 'scalar'>

function contextWithNaming(naming: Naming, sharedContext: SharedContext): SchemaContext {
  const objects = new Map<string, ObjectType>()
  const inputs = new Map<string, InputType>()
  const enums = new Map<string, EnumType>()
  const scalars = new Map<string, ScalarType>()
  return {
    ...sharedContext,
    naming,
    object: (name, description, fields, interfaces = NO_INTERFACES) =>
      buildOnce(objects, name, () => ({
        kind: 'object',
        name,
        description,
        fields: buildLazily(fields),
        interfaces: buildLazily(interfaces),
      })),
    input: (name, description, fields) =>
      buildOnce(inputs, name, () => ({
        kind: 'input',
        name,
        description,
        fields: buildLazily(fields),
      })),
    enumeration: (name, build) =>
      buildOnce(enums, name, () => ({ kind: 'enum', name, ...build() })),
    scalar: (name, type, description = null) =>
      buildOnce(scalars, name, () => ({ kind: 'scalar', name, description, type })),
  }
}

const NO_INTERFACES = (): readonly InterfaceType[] => []

/** Returns the type of a column's values, which is always nullable. */
export function valueType(
  ctx: SchemaContext,
  { type, enumType }: Pick<Column, 'type' | 'enumType'>,
): TypeRef {
  if (enumType) return databaseEnum(ctx, enumType)
  if (
    type.element !== null &&
    ctx.model.settings.experimentalFeatures.includes('disable_postgres_arrays')
  )
    return ctx.scalar(`_${sqlTypeName(type.element)}`, type)
  const scalar = ctx.scalar(scalarOf(type).name, elementType(type))
  return type.element === null ? scalar : listType(scalar)
}

/** Returns the type of a column in responses. It is non-null if the column is not nullable. */
export function columnType(ctx: SchemaContext, column: Column): TypeRef {
  const type = valueType(ctx, column)
  return column.nullable ? type : requiredType(type)
}

/** Returns a built-in scalar by its GraphQL name. */
export function builtInScalar(ctx: SchemaContext, name: keyof typeof BUILT_IN): ScalarType {
  const pg = BUILT_IN[name]
  return ctx.scalar(name, { schema: 'pg_catalog', name: pg, kind: 'b', element: null, base: null })
}

const BUILT_IN = {
  Int: 'int4',
  Boolean: 'bool',
  String: 'text',
  Float: 'float4',
  json: 'json',
  uuid: 'uuid',
  timestamptz: 'timestamptz',
} as const

function databaseEnum(ctx: SchemaContext, database: DatabaseEnum): EnumType {
  return ctx.enumeration(database.name, () => ({
    description: null,
    values: database.values.map(({ value, comment }) => ({
      name: ctx.naming.enumValue(value),
      description: comment,
    })),
    database,
  }))
}

function rolePermissions(table: Table, role: string, backendOnly: boolean): TablePermissions {
  if (role === ADMIN) return allPermissions(table)
  const grantedPermissions = table.permissions.get(role) ?? NO_PERMISSIONS
  const withoutBackendOnly = <T extends { backendOnly: boolean }>(permission: T | null) =>
    permission?.backendOnly && !backendOnly ? null : permission
  return {
    select: grantedPermissions.select,
    insert: withoutBackendOnly(grantedPermissions.insert),
    update: withoutBackendOnly(grantedPermissions.update),
    delete: withoutBackendOnly(grantedPermissions.delete),
  }
}

function buildOnce<K, V>(cache: Map<K, V>, key: K, build: () => V): V {
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const value = build()
  cache.set(key, value)
  return value
}

function buildLazily<T>(build: () => T): () => T {
  const cache = new Map<'it', T>()
  return () => buildOnce(cache, 'it', build)
}
