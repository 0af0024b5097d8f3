import { ownValue } from '../../json/own-value.ts'
import type { SourceMetadata } from '../../metadata/metadata.ts'
import type { LogicalModelMetadata, NativeQueryMetadata } from '../../metadata/native-queries.ts'
import type { PgType } from '../../postgres/catalog.ts'
import { builtInType } from '../../postgres/scalars.ts'
import { type InconsistencyReport, Inconsistent } from '../inconsistency.ts'
import type {
  Column,
  NativeQuery,
  Relationship,
  SourceModel,
  Table,
  TablePermissions,
} from '../model.ts'
import { givenName } from '../naming.ts'
import { namesInRoots, READING_ROOTS, type RootNames } from '../root-names.ts'
import { inheritPermissions } from '../tables/inherited-roles.ts'
import { NO_PERMISSIONS, resolveSelectPermission } from '../tables/permissions.ts'
import { isGraphQLName } from '../tables/tables.ts'

type NativeQueriesInput = {
  source: SourceModel
  tracked: Pick<SourceMetadata, 'native_queries' | 'logical_models'>
  inheritedRoles: ReadonlyMap<string, readonly string[]>
  names: RootNames
  errors: InconsistencyReport
}

/** Resolves native queries, and the logical models of the rows that they return. */
export function resolveNativeQueries({
  source,
  tracked,
  inheritedRoles,
  names,
  errors,
}: NativeQueriesInput): NativeQuery[] {
  const models = new Map(
    tracked.logical_models.flatMap((metadata) => {
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
  return tracked.native_queries.flatMap((metadata) => {
    const subject = {
      type: 'native_query',
      name: `native_query ${metadata.root_field_name} in source ${source.name}`,
      source: source.name,
      definition: metadata,
    }
    const resolved = errors.attempt(subject, () => {
      const query = resolveNativeQuery(metadata, models)
      names.claim(subject.name, namesInRoots(READING_ROOTS, [query.field]))
      return query
    })
    return resolved ?? []
  })
}

/** A logical model, as a table that has no root fields. */
function resolveLogicalModel(metadata: LogicalModelMetadata, source: SourceModel) {
  const { name } = metadata
  if (!isGraphQLName(name)) throw new Inconsistent(`"${name}" is not a valid name in GraphQL`)
  const permissions = new Map<string, TablePermissions>()
  const model = {
    source,
    schema: '',
    name,
    graphqlName: name,
    baseName: givenName(name),
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
    computedFields: new Map(),
    remoteRelationships: new Map(),
    permissions,
    enumType: null,
    isLogicalModel: true,
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
  if (type.scalar === undefined)
    throw new Inconsistent(`the type of field "${name}" is not supported: only scalars are`)
  return {
    name,
    field: name,
    type: typeNamed(type.scalar),
    nullable: type.nullable,
    isGenerated: false,
    comment: description ?? null,
    enumType: null,
  }
}

/** SQL's names of built-in types that differ from those in the catalogue. */
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

/** A built-in type by any of its names. */
export function typeNamed(name: string): PgType {
  const lower = name.toLowerCase()
  return builtInType(ownValue(SPELLINGS, lower) ?? lower)
}

function resolveNativeQuery(
  metadata: NativeQueryMetadata,
  models: ReadonlyMap<string, Table>,
): NativeQuery {
  const { root_field_name: field, arguments: args, code } = metadata
  if (!isGraphQLName(field)) throw new Inconsistent(`"${field}" is not a valid name in GraphQL`)
  const returns = models.get(metadata.returns)
  if (!returns) throw new Inconsistent(`logical model "${metadata.returns}" is not tracked`)
  const related = [...metadata.object_relationships, ...metadata.array_relationships]
  if (related.length > 0)
    throw new Inconsistent('relationships of native queries are not supported')
  const pieces = splitAtArguments(code)
  for (const piece of pieces)
    if (typeof piece !== 'string' && !Object.hasOwn(args, piece.argument))
      throw new Inconsistent(`the query uses an argument that is not declared: "${piece.argument}"`)
  return {
    field,
    args: Object.entries(args).map(([name, { type, nullable }]) => ({
      name,
      type: typeNamed(type),
      nullable,
    })),
    pieces,
    returns,
  }
}

/** Splits a statement at its arguments, `{{name}}`. */
export function splitAtArguments(code: string): NativeQuery['pieces'] {
  return code
    .trim()
    .replace(/;$/, '')
    .split(/\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/)
    .map((part, i) => (i % 2 === 0 ? part : { argument: part }))
}
