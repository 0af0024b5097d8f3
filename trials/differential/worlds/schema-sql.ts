import { TYPE_STATEMENTS } from './column-types.ts'
import type { Table } from './random-tables.ts'

/**
 * Writes the statements that create tables and functions. Each column, row and foreign key has a separate statement, so that a smaller
 * world can leave it out.
 */
export function schemaStatements(tables: readonly Table[]): string[] {
  return [
    ...TYPE_STATEMENTS,
    ...tables.flatMap(tableStatements),
    ...tables.flatMap(rowStatements),
    ...tables.flatMap(keyStatements),
    ...tables.flatMap(functionStatements),
  ]
}

function tableStatements({ name, key, columns, parents }: Table): string[] {
  const keyColumns = key.columns.map((column) => `${column.name} ${column.sql}`)
  const primary = key.columns.map((column) => column.name).join(', ')
  const add = (column: string) => `alter table ${name} add column ${column}`
  return [
    `create table ${name} (${keyColumns.join(', ')}, primary key (${primary}))`,
    ...parents.map(({ column }) => add(`${column} integer`)),
    ...columns.map((column) =>
      add(
        column.default === undefined
          ? `${column.name} ${column.type.sql}`
          : `${column.name} ${column.type.sql} not null default ${literalOf(column.default, column.type.sql)}`,
      ),
    ),
  ]
}

function literalOf(value: unknown, type: string): string {
  const isDocument = /^jsonb?$/.test(type)
  if (Array.isArray(value) && !isDocument) return `${quotedText(`{${value.join(',')}}`)}::${type}`
  const text = isDocument ? JSON.stringify(value) : String(value)
  return `${quotedText(text)}::${type}`
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Writes the inserts of a table. PostgreSQL ignores JSON members without a column, so columns can be left out. */
function rowStatements({ name, rows }: Table): string[] {
  const inserts = rows.map(
    (row) =>
      `insert into ${name} select * from json_populate_record(null::${name}, ${quotedText(JSON.stringify(row))})`,
  )
  const setSequence = `select setval(pg_get_serial_sequence('${name}', 'id'), 100) where pg_get_serial_sequence('${name}', 'id') is not null`
  return [...inserts, setSequence]
}

function keyStatements({ name, parents }: Table): string[] {
  return parents.map(
    ({ column, table, onDelete }) =>
      `alter table ${name} add foreign key (${column}) references ${table} on delete ${onDelete}`,
  )
}

/** Writes a computed field, a query function, a mutation function and a view for a table. They use only the key. */
function functionStatements({ name }: Table): string[] {
  return [
    `create function ${name}_label(one ${name}) returns text language sql stable as $$ select '${name} ' || one.id $$`,
    `create function ${name}_from(lowest integer) returns setof ${name} language sql stable as $$ select * from ${name} where id >= lowest $$`,
    `create function ${name}_drop(gone integer) returns setof ${name} language sql volatile as $$ delete from ${name} where id = gone returning * $$`,
    `create view ${name}_few as select * from ${name} where id < 4`,
  ]
}
