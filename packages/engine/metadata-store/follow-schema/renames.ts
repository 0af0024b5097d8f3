import type { SourceModel } from '../../compiler/model/model.ts'
import { isList, isRecord } from '../../json/record.ts'
import { type Catalog, catalogKey } from '../../postgres/catalog.ts'
import { catalogKeyOf } from '../edit/keys.ts'
import type { MetadataDocument } from '../edit/metadata-document.ts'
import type { Node } from '../edit/node.ts'

/** The new names of tables and their fields, by the old keys of the tables. */
type Renames = {
  tables: ReadonlyMap<string, { schema: string; name: string }>
  /** The new names of columns and relationships, by old name. A column and a relationship never have the same name. */
  fields: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** Finds the renamed tables and columns, which keep their numbers (`oid`, `attnum`) in the catalogue. */
export function renamesBetween(before: Catalog, after: Catalog): Renames {
  const newTables = new Map([...after.tables.values()].map((table) => [table.oid, table]))
  const pairs = [...before.tables.values()].flatMap((old) => {
    const table = newTables.get(old.oid)
    return table ? [{ old, table }] : []
  })
  const renamedTables = pairs.filter(({ old, table }) => catalogKey(old) !== catalogKey(table))
  const fields = pairs.map(({ old, table }) => {
    const names = new Map(table.columns.map(({ number, name }) => [number, name]))
    const newNames = old.columns.flatMap(({ number, name }) => {
      const newName = names.get(number)
      return newName === undefined || newName === name ? [] : [[name, newName] as const]
    })
    return [catalogKey(old), new Map(newNames)] as const
  })
  return {
    tables: new Map(
      renamedTables.map(({ old, table }) => [
        catalogKey(old),
        { schema: table.schema, name: table.name },
      ]),
    ),
    fields: new Map(fields.filter(([, newNames]) => newNames.size > 0)),
  }
}

/**
 * Renames objects of a source in the metadata. Renames tables where they are tracked and where relationships and conditions refer to
 * them. Renames columns and relationships in permissions, relationships, event triggers and configurations. Leaves native queries
 * unchanged.
 *
 * @param source the model before the change; it has the target tables of the relationships that conditions use
 */
export function renameInDocument(
  document: MetadataDocument,
  renames: Renames,
  source: SourceModel,
): MetadataDocument {
  if (renames.tables.size === 0 && renames.fields.size === 0) return document
  const names = { ...renames, source }
  const rewriteTargets = rewriteEach((entry) => rewriteRemoteTarget(entry, names))
  return rewriteMembers(document, {
    sources: rewriteEach((entry) =>
      rewriteMembers(entry, {
        tables: rewriteEach((table) => {
          const isOfSource = entry.name === source.name
          const rewrites = isOfSource ? tableRewrites(catalogKeyOf(table.table), names) : {}
          return rewriteMembers(rewriteMembers(table, rewrites), {
            remote_relationships: rewriteTargets,
          })
        }),
      }),
    ),
    remote_schemas: rewriteEach((schema) =>
      rewriteMembers(schema, {
        remote_relationships: rewriteEach((type) =>
          rewriteMembers(type, { relationships: rewriteTargets }),
        ),
      }),
    ),
    custom_types: (types) =>
      rewriteMembers(types, {
        objects: rewriteEach((object) =>
          rewriteMembers(object, {
            relationships: rewriteEach((entry) => rewriteActionRelationship(entry, names)),
          }),
        ),
      }),
  })
}

type Names = Renames & { source: SourceModel }
type Rewrite = (value: unknown) => unknown

/** Returns the functions that rename objects in a table's entry, by the keys of the entry. */
function tableRewrites(table: string, names: Names): Readonly<Record<string, Rewrite>> {
  const fields = fieldRewrites(table, names)
  const relationships = rewriteEach((entry) => rewriteRelationship(entry, table, names))
  const permissions = rewriteEach((entry) =>
    rewriteMembers(entry, {
      permission: (permission) =>
        rewriteMembers(permission, {
          columns: fields.list,
          set: fields.keys,
          filter: (filter) => rewriteExpression(filter, { table, root: table, names }),
          check: (check) => rewriteExpression(check, { table, root: table, names }),
        }),
    }),
  )
  const operation: Rewrite = (value) =>
    rewriteMembers(value, { columns: fields.list, payload: fields.list })
  return {
    table: (name) => renameTable(name, names),
    configuration: (value) =>
      rewriteMembers(value, { custom_column_names: fields.keys, column_config: fields.keys }),
    object_relationships: relationships,
    array_relationships: relationships,
    remote_relationships: rewriteEach((entry) => rewriteRemoteSource(entry, fields)),
    select_permissions: permissions,
    insert_permissions: permissions,
    update_permissions: permissions,
    delete_permissions: permissions,
    event_triggers: rewriteEach((entry) =>
      rewriteMembers(entry, {
        definition: (value) =>
          rewriteMembers(value, { insert: operation, update: operation, delete: operation }),
      }),
    ),
  }
}

function rewriteRelationship(entry: Node, table: string, names: Names): unknown {
  const fields = fieldRewrites(table, names)
  return rewriteMembers(entry, {
    name: fields.one,
    using: (using) =>
      rewriteMembers(using, {
        foreign_key_constraint_on: (on) => {
          if (!isRecord(on)) return fields.list(on)
          const remote = fieldRewrites(catalogKeyOf(on.table), names)
          return rewriteMembers(on, {
            table: (name) => renameTable(name, names),
            column: remote.one,
            columns: remote.list,
          })
        },
        manual_configuration: (manual) => {
          const remote = fieldRewrites(
            catalogKeyOf(isRecord(manual) ? manual.remote_table : null),
            names,
          )
          return rewriteMembers(manual, {
            remote_table: (name) => renameTable(name, names),
            column_mapping: (mapping) => remote.values(fields.keys(mapping)),
          })
        },
      }),
  })
}

/** Renames the columns of a table in the left side of the table's remote relationship. */
function rewriteRemoteSource(entry: Node, fields: FieldRewrites): unknown {
  const toSchema: Rewrite = (to) =>
    rewriteMembers(to, {
      lhs_fields: fields.list,
      hasura_fields: fields.list,
      remote_field: (field) => rewriteVariables(field, fields),
    })
  return rewriteMembers(entry, {
    definition: (definition) =>
      rewriteMembers(toSchema(definition), {
        to_remote_schema: toSchema,
        to_source: (to) => rewriteMembers(to, { field_mapping: fields.keys }),
      }),
  })
}

/** Renames columns in the arguments of a remote field, where `$name` is the value of the column `name`. */
function rewriteVariables(value: unknown, fields: FieldRewrites): unknown {
  if (isList(value)) return value.map((item) => rewriteVariables(item, fields))
  if (isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, rewriteVariables(item, fields)]),
    )
  return typeof value === 'string' && value.startsWith('$')
    ? `$${fields.name(value.slice(1))}`
    : value
}

/** Rewrites a remote relationship to a table of the source. */
function rewriteRemoteTarget(entry: Node, names: Names): unknown {
  return rewriteMembers(entry, {
    definition: (definition) =>
      rewriteMembers(definition, {
        to_source: (to) => {
          if (!isRecord(to) || to.source !== names.source.name) return to
          return rewriteMembers(to, {
            table: (name) => renameTable(name, names),
            field_mapping: fieldRewrites(catalogKeyOf(to.table), names).values,
          })
        },
      }),
  })
}

function rewriteActionRelationship(entry: Node, names: Names): unknown {
  if ((entry.source ?? 'default') !== names.source.name) return entry
  return rewriteMembers(entry, {
    remote_table: (name) => renameTable(name, names),
    field_mapping: fieldRewrites(catalogKeyOf(entry.remote_table), names).values,
  })
}

type Scope = { table: string; root: string; names: Names }

/** Renames objects in a condition. `parseExpression` shows the grammar of conditions. */
function rewriteExpression(expression: unknown, scope: Scope): unknown {
  if (!isRecord(expression)) return expression
  const entries = Object.entries(expression).map(([key, value]) =>
    rewriteCondition(key, value, scope),
  )
  return Object.fromEntries(entries)
}

function rewriteCondition(key: string, value: unknown, scope: Scope): [string, unknown] {
  const { table, root, names } = scope
  const word = key.replace(/^\$/, '_')
  if (word === '_not') return [key, rewriteExpression(value, scope)]
  if ((word === '_and' || word === '_or') && isList(value))
    return [key, value.map((item) => rewriteExpression(item, scope))]
  if (word === '_exists' && isRecord(value)) {
    const where = rewriteExpression(value._where, { ...scope, table: catalogKeyOf(value._table) })
    return [key, { ...value, _table: renameTable(value._table, names), _where: where }]
  }
  const fields = fieldRewrites(table, names)
  const model = names.source.tables.get(table)
  const returns = model?.computedFields.get(key)?.returns
  const remote =
    model?.relationships.get(key)?.remote ?? (returns?.kind === 'table' ? returns.table : null)
  if (remote)
    return [fields.name(key), rewriteExpression(value, { ...scope, table: catalogKey(remote) })]
  const comparison = isRecord(value)
    ? rewriteMembers(
        value,
        Object.fromEntries(COLUMN_OPERATORS.map((name) => [name, renameOperand])),
      )
    : value
  return [fields.name(key), comparison]

  function renameOperand(operand: unknown): unknown {
    if (!isList(operand)) return fields.one(operand)
    return operand[0] === '$'
      ? ['$', fieldRewrites(root, names).one(operand[1])]
      : operand.map(fields.one)
  }
}

/** Operators that have the name of a column as their operand. */
const COLUMN_OPERATORS = ['_ceq', '_cne', '_cneq', '_cgt', '_clt', '_cgte', '_clte'].flatMap(
  (name) => [name, name.replace('_', '$')],
)

type FieldRewrites = ReturnType<typeof fieldRewrites>

function fieldRewrites(table: string, { fields }: Names) {
  const newNames = fields.get(table)
  const name = (field: string) => newNames?.get(field) ?? field
  const one: Rewrite = (field) => (typeof field === 'string' ? name(field) : field)
  return {
    name,
    one,
    list: (value: unknown) => (isList(value) ? value.map(one) : one(value)),
    keys: (object: unknown) =>
      isRecord(object)
        ? Object.fromEntries(Object.entries(object).map(([key, value]) => [name(key), value]))
        : object,
    values: (object: unknown) =>
      isRecord(object)
        ? Object.fromEntries(Object.entries(object).map(([key, value]) => [key, one(value)]))
        : object,
  }
}

function renameTable(name: unknown, { tables }: Names): unknown {
  return tables.get(catalogKeyOf(name)) ?? name
}

/** Rewrites some values of an object. Returns anything else unchanged. */
function rewriteMembers<T>(object: T, rewrites: Readonly<Record<string, Rewrite>>): T | Node {
  if (!isRecord(object)) return object
  const entries = Object.entries(object).map(([key, value]) => {
    const rewrite = Object.hasOwn(rewrites, key) ? rewrites[key] : undefined
    return [key, rewrite ? rewrite(value) : value] as const
  })
  return Object.fromEntries(entries)
}

function rewriteEach(rewrite: (entry: Node) => unknown): Rewrite {
  return (list) =>
    isList(list) ? list.map((item) => (isRecord(item) ? rewrite(item) : item)) : list
}
