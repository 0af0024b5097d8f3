import type { Model, SourceModel, Table } from '../../model/model.ts'
import type { Field } from '../graphql-types.ts'
import {
  changingFields,
  inNamespace,
  queryRoot,
  type RoleSchema,
  rootObjectOrNull,
  visibleRootFields,
} from '../role-schema.ts'
import { createSchemaContext, type RowTypes, type SchemaContext } from '../schema-context.ts'
import {
  functionConnectionFields,
  relationshipConnectionFields,
  tableConnectionFields,
} from './connections.ts'
import { nodeField, nodeIdField, nodeInterface } from './nodes.ts'

/** Builds the schema of a role for clients that use Relay. */
export function relaySchema(model: Model, role: string, backendOnly: boolean): RoleSchema {
  const ctx = createSchemaContext(model, role, backendOnly, RELAY_ROWS)
  const node = nodeInterface(ctx)
  const sources = [...model.sources.values()]
  const nodes = node.members().length > 0 ? [nodeField(ctx, node)] : []
  const queries = sources.flatMap((source) => connections(ctx, source, 'query'))
  const subscriptions = sources.flatMap((source) => connections(ctx, source, 'subscription'))
  return {
    context: ctx,
    query: queryRoot(ctx, [...nodes, ...queries]),
    mutation: rootObjectOrNull('mutation_root', changingFields(ctx, backendOnly)),
    subscription: rootObjectOrNull('subscription_root', [...nodes, ...subscriptions]),
  }
}

/** Returns the root fields of a source that are read in pages. */
function connections(
  ctx: SchemaContext,
  source: SourceModel,
  root: 'query' | 'subscription',
): readonly Field[] {
  const sourceContext = ctx.in(source)
  const fields = [
    ...[...source.tables.values()].flatMap((table) =>
      visibleRootFields(
        sourceContext,
        table,
        `${root}Roots`,
        tableConnectionFields(sourceContext, table),
      ),
    ),
    ...source.functions.flatMap((trackedFunction) =>
      functionConnectionFields(sourceContext, trackedFunction),
    ),
  ]
  return inNamespace(sourceContext, fields, root)
}

/**
 * The changes for Relay. `id` is the global ID, or is missing if the table has no primary key. Each array relationship
 * to a table with a primary key also has a field that returns pages.
 */
const RELAY_ROWS: RowTypes = {
  fields: (ctx, table, common) => [
    ...common.filter(({ name }) => name !== 'id'),
    ...(table.primaryKey ? [nodeIdField(ctx)] : []),
    ...common.flatMap((field) => relationshipConnection(ctx, field)),
  ],
  interfaces: (ctx, table: Table) => (table.primaryKey ? [nodeInterface(ctx)] : []),
}

function relationshipConnection(ctx: SchemaContext, { meaning }: Field): Field[] {
  return meaning.kind === 'relationship'
    ? relationshipConnectionFields(ctx, meaning.relationship)
    : []
}
