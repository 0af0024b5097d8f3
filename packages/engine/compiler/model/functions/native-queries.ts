import { ownValue } from '../../../json/own-value.ts'
import type { SourceMetadata } from '../../../metadata/metadata.ts'
import {
  type LogicalModelMetadata,
  modelName,
  type NativeQueryMetadata,
} from '../../../metadata/native-queries.ts'
import type { PgType } from '../../../postgres/catalog.ts'
import { builtInType } from '../../../postgres/scalars.ts'
import { type InconsistencyReport, Inconsistent } from '../inconsistency.ts'
import type {
  Column,
  NativeQuery,
  NativeRelationship,
  Relationship,
  SourceModel,
  Table,
  TablePermissions,
} from '../model.ts'
import { customBaseName } from '../naming.ts'
import { namesInRoots, READING_ROOTS, type RootNames } from '../root-names.ts'
import { inheritPermissions } from '../tables/inherited-roles.ts'
import { NO_PERMISSIONS, resolveSelectPermission } from '../tables/permissions.ts'
import { isGraphQLName, type UnfinishedSource } from '../tables/tables.ts'
import { addNativeRelationships } from './native-relationships.ts'

type NativeQueriesInput = {
  source: UnfinishedSource
  tracked: Pick<SourceMetadata, 'native_queries' | 'logical_models'>
  inheritedRoles: ReadonlyMap<string, readonly string[]>
  names: RootNames
  errors: InconsistencyReport
}

/** Resolves a source's native queries, all its logical models, and their relationships. */
export function resolveNativeQueries({
  source,
  tracked,
  inheritedRoles,
  names,
  errors,
}: NativeQueriesInput): NativeQuery[] {
  const logicalModels = [...tracked.logical_models, ...tracked.native_queries.flatMap(inlineModel)]
  const models = new Map(
    logicalModels.flatMap((metadata) => {
      const subject = {
        type: 'logical_model',
        name: `logical_model ${metadata.name} in source ${source.name}`,
        source: source.name,
        definition: metadata,
      }
      const model = errors.attempt(subject, () => resolveLogicalModel(metadata, source))
      if (model) inheritPermissions([model], inheritedRoles, errors)
      return model ? [[metadata.name, model] as const] : []
    }),
  )
  for (const metadata of logicalModels) addNestedModels(metadata, models, errors)
  const queries = tracked.native_queries.flatMap((metadata) => {
    const subject = {
      type: 'native_query',
      name: `native_query ${metadata.root_field_name} in source ${source.name}`,
      source: source.name,
      definition: metadata,
    }
    const resolvedQuery = errors.attempt(subject, () => {
      const query = resolveNativeQuery(metadata, models)
      names.reserve(subject.name, namesInRoots(READING_ROOTS, [query.field]))
      return query
    })
    return resolvedQuery ?? []
  })
  addNativeRelationships({ source, queries, models, tracked, errors })
  return queries
}

/**
 * Returns the logical model that a native query defines inline, named after the root field. Returns none if the query
 * only names a model.
 */
function inlineModel({ root_field_name, returns }: NativeQueryMetadata): LogicalModelMetadata[] {
  return typeof returns === 'string' ? [] : [{ name: root_field_name, ...returns }]
}

/** Adds relationships for the fields of a logical model that contain objects of other logical models. */
function addNestedModels(
  metadata: LogicalModelMetadata,
  models: ReadonlyMap<string, LogicalModel>,
  errors: InconsistencyReport,
): void {
  const model = models.get(metadata.name)
  for (const { name, type } of metadata.fields) {
    const nestedModel = type.logical_model ?? type.array?.logical_model
    const column = model?.columns.get(name)
    if (nestedModel === undefined || !model || !column) continue
    const subject = {
      type: 'logical_model',
      name: `logical_model ${metadata.name} in source ${model.source.name}`,
      source: model.source.name,
      definition: metadata,
    }
    errors.attempt(subject, () => {
      const remote = models.get(nestedModel)
      if (!remote) throw new Inconsistent(`logical model "${nestedModel}" is not tracked`)
      const kind = type.array ? 'array' : 'object'
      const { nullable } = type
      const target = { column }
      model.nativeRelationships.set(name, {
        name,
        kind,
        remote,
        pairs: [],
        nullable,
        target,
      })
    })
  }
}

type LogicalModel = ReturnType<typeof resolveLogicalModel>

/** Resolves a logical model to a table without root fields. */
function resolveLogicalModel(metadata: LogicalModelMetadata, source: SourceModel) {
  const { name } = metadata
  if (!isGraphQLName(name)) throw new Inconsistent(`"${name}" is not a valid name in GraphQL`)
  const permissions = new Map<string, TablePermissions>()
  const model = {
    source,
    schema: '',
    name,
    graphqlName: name,
    baseName: customBaseName(name),
    rowType: name,
    comment: metadata.description ?? null,
    rootFields: new Map(),
    columns: new Map(metadata.fields.map((field) => [field.name, logicalModelColumn(field)])),
    primaryKey: null,
    constraints: [],
    uniqueIndexes: [],
    insertable: false,
    updatable: false,
    deletable: false,
    readsOwnRowsOnly: false,
    insertsOwnRowsOnly: false,
    canHaveRowTriggers: false,
    relationships: new Map<string, Relationship>(),
    nativeRelationships: new Map<string, NativeRelationship>(),
    computedFields: new Map(),
    remoteRelationships: new Map(),
    permissions,
    enumType: null,
    isLogicalModel: true,
    isInSchema: true,
  } satisfies Table
  for (const { role, permission } of metadata.select_permissions)
    permissions.set(role, {
      ...NO_PERMISSIONS,
      select: resolveSelectPermission(permission, model, source.tables),
    })
  return model
}

function logicalModelColumn({
  name,
  type,
  description,
}: LogicalModelMetadata['fields'][number]): Column {
  const { scalar, logical_model, array } = type
  if ([scalar, logical_model, array].filter((form) => form !== undefined).length !== 1)
    throw new Inconsistent(
      `the type of field "${name}" must be exactly one of scalar, logical_model and array`,
    )
  return {
    name,
    field: name,
    type: logicalModelColumnType(type),
    nullable: type.nullable,
    isGenerated: false,
    comment: description ?? null,
    enumType: null,
  }
}

/** Returns the PostgreSQL type of a logical model's field. A field with objects of another logical model is `jsonb`. */
export function logicalModelColumnType({
  scalar,
  array,
}: LogicalModelMetadata['fields'][number]['type']): PgType {
  if (scalar !== undefined) return typeByName(scalar)
  if (array?.scalar !== undefined) return builtInType(`_${typeByName(array.scalar).name}`)
  return builtInType('jsonb')
}

/** PostgreSQL's internal names of built-in types that have another name in SQL. */
const SPELLINGS: Readonly<Record<string, string>> = {
  integer: 'int4',
  int: 'int4',
  smallint: 'int2',
  bigint: 'int8',
  real: 'float4',
  'double precision': 'float8',
  decimal: 'numeric',
  boolean: 'bool',
  'character varying': 'varchar',
  character: 'bpchar',
  'timestamp with time zone': 'timestamptz',
  'timestamp without time zone': 'timestamp',
  'time with time zone': 'timetz',
}

/** Returns a built-in type by its name in SQL or in the catalogue. */
export function typeByName(name: string): PgType {
  const lower = name.toLowerCase()
  return builtInType(ownValue(SPELLINGS, lower) ?? lower)
}

function resolveNativeQuery(
  metadata: NativeQueryMetadata,
  models: ReadonlyMap<string, Table>,
): NativeQuery {
  const { root_field_name: field, arguments: args, code } = metadata
  if (!isGraphQLName(field)) throw new Inconsistent(`"${field}" is not a valid name in GraphQL`)
  const returns = models.get(modelName(metadata))
  if (!returns) throw new Inconsistent(`logical model "${modelName(metadata)}" is not tracked`)
  const pieces = splitAtArguments(code)
  for (const piece of pieces)
    if (typeof piece !== 'string' && !Object.hasOwn(args, piece.argument))
      throw new Inconsistent(`the query uses an argument that is not declared: "${piece.argument}"`)
  return {
    field,
    args: Object.entries(args).map(([name, { type, nullable }]) => ({
      name,
      type: typeByName(type),
      nullable,
    })),
    pieces,
    returns,
  }
}

/** Splits a statement at its arguments, `{{name}}`. Removes space around the statement, and a semicolon at its end. */
export function splitAtArguments(code: string): NativeQuery['pieces'] {
  return code
    .trim()
    .replace(/;$/, '')
    .split(/\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/)
    .map((part, i) => (i % 2 === 0 ? part : { argument: part }))
}
