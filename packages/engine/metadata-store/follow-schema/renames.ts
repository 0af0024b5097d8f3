import type { SourceModel } from '../../compiler/model/model.ts'
import { isList, isRecord } from '../../json/record.ts'
import { type Catalog, catalogKey } from '../../postgres/catalog.ts'
import { catalogKeyOf } from '../edit/keys.ts'
import type { MetadataDocument } from '../edit/metadata-document.ts'
import type { Node } from '../edit/node.ts'

/** New names of tables and of their fields, by the old keys of the tables. */
type Renames = {
  tables: ReadonlyMap<string, { schema: string; name: string }>
  /** Old and new names of columns and relationships: a column and a relationship never have the same name. */
  fields: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** Finds what has been renamed: tables and columns keep their numbers (`oid`, `attnum`) in the catalogue. */
export function renamesBetween(before: Catalog, after: Catalog): Renames {
  const now = new Map([...after.tables.values()].map((table) => [table.oid, table]))
  const kept = [...before.tables.values()].flatMap((old) => {
    const table = now.get(old.oid)
    return table ? [{ old, table }] : []
  })
  const moved = kept.filter(({ old, table }) => catalogKey(old) !== catalogKey(table))
  const fields = kept.map(({ old, table }) => {
    const names = new Map(table.columns.map(({ number, name }) => [number, name]))
    const changed = old.columns.flatMap(({ number, name }) => {
      const other = names.get(number)
      return other === undefined || other === name ? [] : [[name, other] as const]
    })
    return [catalogKey(old), new Map(changed)] as const
  })
  return {
    tables: new Map(
      moved.map(({ old, table }) => [catalogKey(old), { schema: table.schema, name: table.name }]),
    ),
    fields: new Map(fields.filter(([, changed]) => changed.size > 0)),
  }
}

/**
 * Replaces names of a source in the metadata: those of tables wherever they are referred to, those of columns and relationships
 * in permissions, relationships, event triggers and configurations.
 *
 * @param source as it was before the change: it knows to which tables the relationships in conditions lead
 */
export function renameInDocument(
  document: MetadataDocument,
  renames: Renames,
  source: SourceModel,
): MetadataDocument {
  if (renames.tables.size === 0 && renames.fields.size === 0) return document
  const names = { ...renames, source }
  const toRenamed = rewriteEach((entry) => rewriteRemoteTarget(entry, names))
  return rewriteMembers(document, {
    sources: rewriteEach((entry) =>
      rewriteMembers(entry, {
        tables: rewriteEach((table) => {
          const isOfSource = entry.name === source.name
          const own = isOfSource ? tableRewrites(catalogKeyOf(table.table), names) : {}
          return rewriteMembers(rewriteMembers(table, own), { remote_relationships: toRenamed })
        }),
      }),
    ),
    remote_schemas: rewriteEach((schema) =>
      rewriteMembers(schema, {
        remote_relationships: rewriteEach((type) =>
          rewriteMembers(type, { relationships: toRenamed }),
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

/** How to rename things in a table's entry, by the keys of the entry. */
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
  const operation: Rewrite = (given) =>
    rewriteMembers(given, { columns: fields.list, payload: fields.list })
  return {
    table: (name) => renamedTable(name, names),
    configuration: (given) =>
      rewriteMembers(given, { custom_column_names: fields.keys, column_config: fields.keys }),
    object_relationships: relationships,
    array_relationships: relationships,
    select_permissions: permissions,
    insert_permissions: permissions,
    update_permissions: permissions,
    delete_permissions: permissions,
    event_triggers: rewriteEach((entry) =>
      rewriteMembers(entry, {
        definition: (given) =>
          rewriteMembers(given, { insert: operation, update: operation, delete: operation }),
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
            table: (name) => renamedTable(name, names),
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
            remote_table: (name) => renamedTable(name, names),
            column_mapping: (mapping) => remote.values(fields.keys(mapping)),
          })
        },
      }),
  })
}

/** A remote relationship that leads to a table of the source. */
function rewriteRemoteTarget(entry: Node, names: Names): unknown {
  return rewriteMembers(entry, {
    definition: (definition) =>
      rewriteMembers(definition, {
        to_source: (to) => {
          if (!isRecord(to) || to.source !== names.source.name) return to
          return rewriteMembers(to, {
            table: (name) => renamedTable(name, names),
            field_mapping: fieldRewrites(catalogKeyOf(to.table), names).values,
          })
        },
      }),
  })
}

function rewriteActionRelationship(entry: Node, names: Names): unknown {
  if ((entry.source ?? 'default') !== names.source.name) return entry
  return rewriteMembers(entry, {
    remote_table: (name) => renamedTable(name, names),
    field_mapping: fieldRewrites(catalogKeyOf(entry.remote_table), names).values,
  })
}

type Scope = { table: string; root: string; names: Names }

/** Renames things in a condition; see `parseExpression` for its grammar. */
function rewriteExpression(given: unknown, scope: Scope): unknown {
  if (!isRecord(given)) return given
  const entries = Object.entries(given).map(([key, value]) => rewriteCondition(key, value, scope))
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
    return [key, { ...value, _table: renamedTable(value._table, names), _where: where }]
  }
  const fields = fieldRewrites(table, names)
  const found = names.source.tables.get(table)
  const returns = found?.computedFields.get(key)?.returns
  const remote =
    found?.relationships.get(key)?.remote ?? (returns?.kind === 'table' ? returns.table : null)
  if (remote)
    return [fields.name(key), rewriteExpression(value, { ...scope, table: catalogKey(remote) })]
  const comparison = isRecord(value)
    ? rewriteMembers(value, Object.fromEntries(COLUMN_OPERATORS.map((name) => [name, other])))
    : value
  return [fields.name(key), comparison]

  function other(operand: unknown): unknown {
    if (!isList(operand)) return fields.one(operand)
    return operand[0] === '$'
      ? ['$', fieldRewrites(root, names).one(operand[1])]
      : operand.map(fields.one)
  }
}

/** Operators whose operand names a column. */
const COLUMN_OPERATORS = ['_ceq', '_cne', '_cneq', '_cgt', '_clt', '_cgte', '_clte'].flatMap(
  (name) => [name, name.replace('_', '$')],
)

function fieldRewrites(table: string, { fields }: Names) {
  const changed = fields.get(table)
  const name = (field: string) => changed?.get(field) ?? field
  const one: Rewrite = (field) => (typeof field === 'string' ? name(field) : field)
  return {
    name,
    one,
    list: (given: unknown) => (isList(given) ? given.map(one) : one(given)),
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

function renamedTable(name: unknown, { tables }: Names): unknown {
  return tables.get(catalogKeyOf(name)) ?? name
}

/** An object with some of its values rewritten; anything else stays as it is. */
function rewriteMembers<T>(given: T, rewrites: Readonly<Record<string, Rewrite>>): T | Node {
  if (!isRecord(given)) return given
  const entries = Object.entries(given).map(([key, value]) => {
    const rewrite = Object.hasOwn(rewrites, key) ? rewrites[key] : undefined
    return [key, rewrite ? rewrite(value) : value] as const
  })
  return Object.fromEntries(entries)
}

function rewriteEach(rewrite: (entry: Node) => unknown): Rewrite {
  return (list) =>
    isList(list) ? list.map((item) => (isRecord(item) ? rewrite(item) : item)) : list
}
