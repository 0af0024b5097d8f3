import { requireValue } from '../../../../lib/runtime/require-value.ts'
import type { Model, SelectPermission, SourceModel, Table } from '../model/model.ts'
import type { RemoteRoot } from '../model/remote-types.ts'
import { actionField, actionResultField } from './action-fields.ts'
import { functionFields, nativeQueryFields } from './function-root-fields.ts'
import { type Field, fieldsByName, type ObjectType, objectField } from './graphql-types.ts'
import { mutationFields } from './mutation-root-fields.ts'
import { remoteRootFields } from './remote-root-fields.ts'
import { nothingField, queryFields, streamFields } from './root-fields.ts'
import { createSchemaContext, type SchemaContext } from './schema-context.ts'

export type RoleSchema = {
  context: SchemaContext
  query: ObjectType
  mutation: ObjectType | null
  subscription: ObjectType | null
}

/** Builds the roots of a role's schema. The fields of most types inside them are built on first use. */
export function roleSchema(model: Model, role: string, backendOnly: boolean): RoleSchema {
  const ctx = createSchemaContext(model, role, backendOnly)
  const sources = [...model.sources.values()]
  const results = model.actions.flatMap((action) => actionResultField(ctx, action) ?? [])
  const remote = (root: RemoteRoot) => remoteRootFields(ctx, root)
  const query = [
    ...sources.flatMap((source) => readingFields(ctx, source, 'query')),
    ...results,
    ...actionFields(ctx, 'query'),
    ...remote('query'),
  ]
  const changing = [...changingFields(ctx, backendOnly), ...remote('mutation')]
  return {
    context: ctx,
    query: queryRoot(ctx, query),
    mutation: rootObjectOrNull('mutation_root', changing),
    subscription: rootObjectOrNull('subscription_root', [
      ...sources.flatMap((source) => readingFields(ctx, source, 'subscription')),
      ...results,
      ...remote('subscription'),
    ]),
  }
}

/** Returns the root fields of a source that read its tables, functions and native queries. */
function readingFields(
  ctx: SchemaContext,
  source: SourceModel,
  root: 'query' | 'subscription',
): readonly Field[] {
  const sourceContext = ctx.in(source)
  const tableFields = (table: Table) =>
    root === 'query'
      ? queryFields(sourceContext, table)
      : [...queryFields(sourceContext, table), ...streamFields(sourceContext, table)]
  const fields = [
    ...[...source.tables.values()].flatMap((table) =>
      visibleRootFields(sourceContext, table, `${root}Roots`, tableFields(table)),
    ),
    ...source.functions
      .filter((f) => f.exposedAs === 'query')
      .flatMap((f) => functionFields(sourceContext, f)),
    ...nativeQueryFields(sourceContext, source),
  ]
  return inNamespace(sourceContext, fields, root)
}

/** Creates the query root, which is never empty. */
export function queryRoot(ctx: SchemaContext, fields: readonly Field[]): ObjectType {
  return rootObject('query_root', fields.length > 0 ? fields : [nothingField(ctx)])
}

/**
 * Returns the fields of the mutation root that belong to sources and actions. The Relay schema has only these fields.
 * The schema for other clients also has the fields of remote schemas.
 */
export function changingFields(ctx: SchemaContext, backendOnly: boolean): Field[] {
  const sources = [...ctx.model.sources.values()]
  return [
    ...sources.flatMap((source) => changingFieldsOf(ctx, source, backendOnly)),
    ...actionFields(ctx, 'mutation'),
  ]
}

function changingFieldsOf(
  ctx: SchemaContext,
  source: SourceModel,
  backendOnly: boolean,
): readonly Field[] {
  const sourceContext = ctx.in(source)
  const fields = [
    ...[...source.tables.values()].flatMap((table) => mutationFields(sourceContext, table)),
    ...source.functions
      .filter((f) => f.exposedAs === 'mutation')
      .flatMap((f) => functionFields(sourceContext, f)),
  ]
  return inNamespace(sourceContext, fields, backendOnly ? 'mutation_backend' : 'mutation_frontend')
}

export function fieldsOfSource(ctx: SchemaContext, source: SourceModel): readonly Field[] {
  return [
    ...readingFields(ctx, source, 'query'),
    ...readingFields(ctx, source, 'subscription'),
    ...changingFieldsOf(ctx, source, true),
  ]
}

function actionFields(ctx: SchemaContext, type: 'query' | 'mutation'): Field[] {
  return ctx.model.actions.filter((a) => a.type === type).flatMap((a) => actionField(ctx, a) ?? [])
}

/** Puts the root fields of a source into its namespace, if any. */
export function inNamespace(
  { naming }: SchemaContext,
  fields: readonly Field[],
  suffix: string,
): readonly Field[] {
  const { namespace } = naming
  if (namespace === null || fields.length === 0) return fields
  const map = fieldsByName(fields)
  const type: ObjectType = {
    kind: 'object',
    name: naming.sourceType(`${namespace}_${suffix}`),
    description: null,
    fields: () => map,
  }
  return [objectField(namespace, type, { kind: 'namespace' })]
}

/** Creates a root; null if it has no fields. */
export function rootObjectOrNull(name: string, fields: readonly Field[]): ObjectType | null {
  return fields.length > 0 ? rootObject(name, fields) : null
}

function rootObject(name: string, fields: readonly Field[]): ObjectType {
  const map = fieldsByName(fields)
  const description = name === 'mutation_root' ? 'mutation root' : null
  return { kind: 'object', name, description, fields: () => map }
}

/** Returns the root fields that the role's select permission does not hide. */
export function visibleRootFields(
  ctx: SchemaContext,
  table: Table,
  list: 'queryRoots' | 'subscriptionRoots',
  fields: readonly Field[],
): readonly Field[] {
  const permittedRoots: SelectPermission[typeof list] = ctx.access(table).select?.[list] ?? null
  if (permittedRoots === null) return fields
  return fields.filter(({ meaning }) =>
    permittedRoots.has(requireValue(ROOT_NAMES[meaning.kind], meaning.kind)),
  )
}

/** The names of root fields in permissions, by the kind of the field's meaning. */
const ROOT_NAMES: Readonly<Record<string, string>> = {
  select: 'select',
  connection: 'select',
  selectByPk: 'select_by_pk',
  selectAggregate: 'select_aggregate',
  selectStream: 'select_stream',
}
