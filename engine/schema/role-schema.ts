import type { Model, SelectPermission, Table } from '../model/model.ts'
import { actionField, actionResultField } from './action-fields.ts'
import { type Context, contextFor } from './context.ts'
import { byName, type Field, type ObjectType } from './graphql-types.ts'
import {
  functionFields,
  mutationFields,
  nativeQueryFields,
  nothingField,
  queryFields,
  streamFields,
} from './root-fields.ts'

/** The schema of one role. */
export type RoleSchema = {
  context: Context
  query: ObjectType
  mutation: ObjectType | null
  subscription: ObjectType | null
}

/** Builds the roots; the types below them are built when first looked at. */
export function roleSchema(model: Model, role: string, backendOnly: boolean): RoleSchema {
  const ctx = contextFor(model, role, backendOnly)
  const tables = [...model.tables.values()]
  const queries = [
    ...tables.flatMap((table) => kept(ctx, table, 'queryRoots', queryFields(ctx, table))),
    ...model.functions
      .filter((f) => f.exposedAs === 'query')
      .flatMap((f) => functionFields(ctx, f)),
    ...nativeQueryFields(ctx),
  ]
  const subscriptions = [
    ...tables.flatMap((table) =>
      kept(ctx, table, 'subscriptionRoots', [
        ...queryFields(ctx, table),
        ...streamFields(ctx, table),
      ]),
    ),
    ...model.functions
      .filter((f) => f.exposedAs === 'query')
      .flatMap((f) => functionFields(ctx, f)),
    ...nativeQueryFields(ctx),
  ]
  const mutations = [
    ...tables.flatMap((table) => mutationFields(ctx, table)),
    ...model.functions
      .filter((f) => f.exposedAs === 'mutation')
      .flatMap((f) => functionFields(ctx, f)),
  ]
  const results = model.actions.flatMap((action) => actionResultField(ctx, action) ?? [])
  const actions = (type: 'query' | 'mutation') =>
    model.actions.filter((a) => a.type === type).flatMap((a) => actionField(ctx, a) ?? [])
  const query = [...queries, ...results, ...actions('query')]
  return {
    context: ctx,
    query: root('query_root', query.length > 0 ? query : [nothingField(ctx)]),
    mutation: rootOrNull('mutation_root', [...mutations, ...actions('mutation')]),
    subscription: rootOrNull('subscription_root', [...subscriptions, ...results]),
  }
}

function rootOrNull(name: string, fields: readonly Field[]): ObjectType | null {
  return fields.length > 0 ? root(name, fields) : null
}

function root(name: string, fields: readonly Field[]): ObjectType {
  const map = byName(fields)
  return { kind: 'object', name, description: null, fields: () => map }
}

/** The root fields that the role's select permission does not hide. */
function kept(
  ctx: Context,
  table: Table,
  list: 'queryRoots' | 'subscriptionRoots',
  fields: readonly Field[],
): readonly Field[] {
  const shown: SelectPermission[typeof list] = ctx.access(table).select?.[list] ?? null
  if (shown === null) return fields
  return fields.filter(({ meaning }) => shown.has(ROOT_NAMES[meaning.kind] ?? ''))
}

/** The names of root fields in permissions. */
const ROOT_NAMES: Readonly<Record<string, string>> = {
  select: 'select',
  selectByPk: 'select_by_pk',
  selectAggregate: 'select_aggregate',
  selectStream: 'select_stream',
}
