import { isRecord } from '../json/record.ts'
import type { Model } from '../model/model.ts'
import { type Catalog, keyOf } from '../postgres/catalog.ts'
import { type Document, keyIn } from './document.ts'
import type { Node } from './node.ts'

/** New names, by the old keys of the tables. */
type Renames = {
  tables: ReadonlyMap<string, { schema: string; name: string }>
  /** Columns and relationships, whose names never collide. */
  fields: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** Finds what has been renamed: tables and columns keep their numbers (`oid`, `attnum`) in the catalogue. */
export function renamesBetween(before: Catalog, after: Catalog): Renames {
  const now = new Map([...after.tables.values()].map((table) => [table.oid, table]))
  const kept = [...before.tables.values()].flatMap((old) => {
    const table = now.get(old.oid)
    return table ? [{ old, table }] : []
  })
  const moved = kept.filter(({ old, table }) => keyOf(old) !== keyOf(table))
  const fields = kept.map(({ old, table }) => {
    const names = new Map(table.columns.map(({ number, name }) => [number, name]))
    const changed = old.columns.flatMap(({ number, name }) => {
      const other = names.get(number)
      return other === undefined || other === name ? [] : [[name, other] as const]
    })
    return [keyOf(old), new Map(changed)] as const
  })
  return {
    tables: new Map(
      moved.map(({ old, table }) => [keyOf(old), { schema: table.schema, name: table.name }]),
    ),
    fields: new Map(fields.filter(([, changed]) => changed.size > 0)),
  }
}

/**
 * The same metadata with new names: for tables wherever they are referred to, for columns and relationships
 * in permissions, relationships, event triggers and configurations.
 *
 * @param model the model before the change, which knows where relationships in conditions lead
 */
export function rename(document: Document, renames: Renames, model: Model): Document {
  if (renames.tables.size === 0 && renames.fields.size === 0) return document
  const names = { ...renames, model }
  return mapped(document, {
    sources: each((source) =>
      mapped(source, {
        tables: each((table) => mapped(table, inTable(keyIn(table.table), names))),
      }),
    ),
    custom_types: (types) =>
      mapped(types, {
        objects: each((object) =>
          mapped(object, { relationships: each((entry) => actionRelationship(entry, names)) }),
        ),
      }),
  })
}

type Names = Renames & { model: Model }
type Rewrite = (value: unknown) => unknown

/** How to rename things in a table's entry, by the keys of the entry. */
function inTable(table: string, names: Names): Readonly<Record<string, Rewrite>> {
  const own = fieldsOf(table, names)
  const relationships = each((entry) => relationship(entry, table, names))
  const permissions = each((entry) =>
    mapped(entry, {
      permission: (permission) =>
        mapped(permission, {
          columns: own.list,
          set: own.keys,
          filter: (filter) => expression(filter, { table, root: table, names }),
          check: (check) => expression(check, { table, root: table, names }),
        }),
    }),
  )
  const operation: Rewrite = (given) => mapped(given, { columns: own.list, payload: own.list })
  return {
    table: (name) => tableName(name, names),
    configuration: (given) =>
      mapped(given, { custom_column_names: own.keys, column_config: own.keys }),
    object_relationships: relationships,
    array_relationships: relationships,
    select_permissions: permissions,
    insert_permissions: permissions,
    update_permissions: permissions,
    delete_permissions: permissions,
    event_triggers: each((entry) =>
      mapped(entry, {
        definition: (given) =>
          mapped(given, { insert: operation, update: operation, delete: operation }),
      }),
    ),
  }
}

function relationship(entry: Node, table: string, names: Names): unknown {
  const own = fieldsOf(table, names)
  return mapped(entry, {
    name: own.one,
    using: (using) =>
      mapped(using, {
        foreign_key_constraint_on: (on) => {
          if (!isRecord(on)) return own.list(on)
          const remote = fieldsOf(keyIn(on.table), names)
          return mapped(on, {
            table: (name) => tableName(name, names),
            column: remote.one,
            columns: remote.list,
          })
        },
        manual_configuration: (manual) => {
          const remote = fieldsOf(keyIn(isRecord(manual) ? manual.remote_table : null), names)
          return mapped(manual, {
            remote_table: (name) => tableName(name, names),
            column_mapping: (mapping) => remote.values(own.keys(mapping)),
          })
        },
      }),
  })
}

function actionRelationship(entry: Node, names: Names): unknown {
  return mapped(entry, {
    remote_table: (name) => tableName(name, names),
    field_mapping: fieldsOf(keyIn(entry.remote_table), names).values,
  })
}

type Scope = { table: string; root: string; names: Names }

/** Renames things in a condition; see `parseExpression` for its grammar. */
function expression(given: unknown, scope: Scope): unknown {
  if (!isRecord(given)) return given
  const entries = Object.entries(given).map(([key, value]) => entry(key, value, scope))
  return Object.fromEntries(entries)
}

function entry(key: string, value: unknown, scope: Scope): [string, unknown] {
  const { table, root, names } = scope
  const word = key.replace(/^\$/, '_')
  if (word === '_not') return [key, expression(value, scope)]
  if ((word === '_and' || word === '_or') && Array.isArray(value))
    return [key, value.map((item) => expression(item, scope))]
  if (word === '_exists' && isRecord(value)) {
    const where = expression(value._where, { ...scope, table: keyIn(value._table) })
    return [key, { ...value, _table: tableName(value._table, names), _where: where }]
  }
  const own = fieldsOf(table, names)
  const found = names.model.tables.get(table)
  const returns = found?.computedFields.get(key)?.returns
  const remote =
    found?.relationships.get(key)?.remote ?? (returns?.kind === 'table' ? returns.table : null)
  if (remote) return [own.name(key), expression(value, { ...scope, table: keyOf(remote) })]
  const comparison = isRecord(value)
    ? mapped(value, Object.fromEntries(OF_COLUMNS.map((name) => [name, other])))
    : value
  return [own.name(key), comparison]

  function other(operand: unknown): unknown {
    if (!Array.isArray(operand)) return own.one(operand)
    return operand[0] === '$' ? ['$', fieldsOf(root, names).one(operand[1])] : operand.map(own.one)
  }
}

/** Operators whose operand names a column. */
const OF_COLUMNS = ['_ceq', '_cne', '_cneq', '_cgt', '_clt', '_cgte', '_clte'].flatMap((name) => [
  name,
  name.replace('_', '$'),
])

function fieldsOf(table: string, { fields }: Names) {
  const changed = fields.get(table)
  const name = (field: string) => changed?.get(field) ?? field
  const one: Rewrite = (field) => (typeof field === 'string' ? name(field) : field)
  return {
    name,
    one,
    list: (given: unknown) => (Array.isArray(given) ? given.map(one) : one(given)),
    keys: (given: unknown) =>
      isRecord(given)
        ? Object.fromEntries(Object.entries(given).map(([key, value]) => [name(key), value]))
        : given,
    values: (given: unknown) =>
      isRecord(given)
        ? Object.fromEntries(Object.entries(given).map(([key, value]) => [key, one(value)]))
        : given,
  }
}

function tableName(name: unknown, { tables }: Names): unknown {
  return tables.get(keyIn(name)) ?? name
}

/** An object with some of its values rewritten; anything else stays as it is. */
function mapped<T>(given: T, rewrites: Readonly<Record<string, Rewrite>>): T | Node {
  if (!isRecord(given)) return given
  const entries = Object.entries(given).map(([key, value]) => {
    const rewrite = Object.hasOwn(rewrites, key) ? rewrites[key] : undefined
    return [key, rewrite ? rewrite(value) : value] as const
  })
  return Object.fromEntries(entries)
}

function each(rewrite: (entry: Node) => unknown): Rewrite {
  return (list) =>
    Array.isArray(list) ? list.map((item) => (isRecord(item) ? rewrite(item) : item)) : list
}
