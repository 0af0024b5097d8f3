import {
  type Field,
  fieldsByName,
  type InterfaceType,
  inputField,
  objectField,
  requiredType,
  type TypeRef,
} from '../graphql-types.ts'
import type { SchemaContext } from '../schema-context.ts'
import { rowType } from '../types/row-type.ts'

/** Builds `Node`, the interface of every row with a global ID. */
export function nodeInterface(ctx: SchemaContext): InterfaceType {
  return ctx.interfaceType('Node', 'An object with globally unique ID', {
    fields: () => {
      const description = 'A globally unique identifier'
      return fieldsByName([
        objectField('id', requiredType(idType(ctx)), { kind: 'nodeId' }, { description }),
      ])
    },
    members: () =>
      [...ctx.model.sources.values()]
        .flatMap(({ tables }) => [...tables.values()])
        .filter((table) => table.primaryKey && ctx.access(table).select)
        .map((table) => rowType(ctx.in(table.source), table)),
  })
}

/** Creates the root field that reads the row with a global ID. */
export function nodeField(ctx: SchemaContext, node: InterfaceType): Field {
  const description = 'A globally unique id'
  const id = inputField('id', requiredType(idType(ctx)), { kind: 'plain' }, { description })
  return objectField('node', node, { kind: 'node' }, { args: [id] })
}

/**
 * Creates the field for the global ID of a row. The ID contains the primary key even if the role may not read it, as in
 * Hasura.
 */
export function nodeIdField(ctx: SchemaContext): Field {
  return objectField('id', requiredType(idType(ctx)), { kind: 'nodeId' })
}

function idType(ctx: SchemaContext): TypeRef {
  return ctx.scalar('ID', null)
}
