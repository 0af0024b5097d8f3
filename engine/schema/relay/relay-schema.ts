import type { Model, Table } from '../../model/model.ts'
import type { Field } from '../graphql-types.ts'
import {
  changingFields,
  inNamespace,
  queryRoot,
  type RoleSchema,
  rootObjectOrNull,
  visibleRootFields,
} from '../role-schema.ts'
import { type RowTypes, type SchemaContext, schemaContext } from '../schema-context.ts'
import {
  functionConnectionFields,
  relationshipConnectionFields,
  tableConnectionFields,
} from './connections.ts'
import { nodeField, nodeIdField, nodeInterface } from './nodes.ts'

/** The schema of one role for clients that use Relay. */
export function relaySchema(model: Model, role: string, backendOnly: boolean): RoleSchema {
  const ctx = schemaContext(model, role, backendOnly, RELAY_ROWS)
  const node = nodeInterface(ctx)
  const connections = (list: 'queryRoots' | 'subscriptionRoots') => [
    ...[...model.tables.values()].flatMap((table) =>
      visibleRootFields(ctx, table, list, tableConnectionFields(ctx, table)),
    ),
    ...model.functions.flatMap((tracked) => functionConnectionFields(ctx, tracked)),
  ]
  const nodes = node.members().length > 0 ? [nodeField(ctx, node)] : []
  const queries = inNamespace(ctx, connections('queryRoots'), 'query')
  const subscriptions = inNamespace(ctx, connections('subscriptionRoots'), 'subscription')
  return {
    context: ctx,
    query: queryRoot(ctx, [...nodes, ...queries]),
    mutation: rootObjectOrNull('mutation_root', changingFields(ctx, backendOnly)),
    subscription: rootObjectOrNull('subscription_root', [...nodes, ...subscriptions]),
  }
}

/** Relay's rows: `id` is the global id, and each list of related rows can also be read in pages. */
const RELAY_ROWS: RowTypes = {
  fields: (ctx, table, common) => [
    ...common.filter(({ name }) => name !== 'id'),
    ...(table.primaryKey ? [nodeIdField(ctx)] : []),
    ...common.flatMap((field) => connectionBeside(ctx, field)),
  ],
  interfaces: (ctx, table: Table) => (table.primaryKey ? [nodeInterface(ctx)] : []),
}

function connectionBeside(ctx: SchemaContext, { meaning }: Field): Field[] {
  return meaning.kind === 'relationship'
    ? relationshipConnectionFields(ctx, meaning.relationship)
    : []
}
