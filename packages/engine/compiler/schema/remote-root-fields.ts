import { type RemoteRoot, rootFieldsOf } from '../model/remote-types.ts'
import { type Field, fieldsByName, type ObjectType, objectField } from './graphql-types.ts'
import type { SchemaContext } from './schema-context.ts'
import { visibleSchema } from './types/remote-relationship-fields.ts'
import { remoteField, remoteMeaning, type VisibleSchema } from './types/remote-types.ts'
import { rowType } from './types/row-type.ts'

/** Returns the fields that remote schemas add to a root of the role's schema. */
export function remoteRootFields(ctx: SchemaContext, root: RemoteRoot): Field[] {
  return [...ctx.model.remoteSchemas.values()].flatMap((schema) => {
    const visible = visibleSchema(ctx, schema, rowType)
    return visible ? rootFieldsOfSchema(ctx, visible, root) : []
  })
}

function rootFieldsOfSchema(ctx: SchemaContext, visible: VisibleSchema, root: RemoteRoot): Field[] {
  const { schema, types } = visible
  const parent = types.roots[root]
  if (parent === null) return []
  const { customization } = schema
  const fields = [...rootFieldsOf(types, root).values()].map((field): Field => {
    const name = customization.fieldName(parent, field.name)
    const meaning = { kind: 'remoteRoot', schema, root, field: remoteMeaning(field) } as const
    return { ...remoteField(ctx, visible, name, field), meaning }
  })
  const { namespace } = customization
  if (namespace === null || fields.length === 0) return fields
  const map = fieldsByName(fields)
  const type: ObjectType = {
    kind: 'object',
    name: `${namespace}${SUFFIXES[root]}`,
    description: null,
    fields: () => map,
  }
  return [objectField(namespace, type, { kind: 'remoteNamespace' })]
}

/** The suffix of a namespace's type for each root: the query type of the namespace `zoo` is `zooQuery`. */
const SUFFIXES: Readonly<Record<RemoteRoot, string>> = {
  query: 'Query',
  mutation: 'Mutation',
  subscription: 'Subscription',
}
