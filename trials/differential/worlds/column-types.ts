/** The type of a column. Rows, conditions and operations use the same few values, so that they often match. */
export type ColumnType = {
  /** The name of the type in PostgreSQL. */
  sql: string
  /** The name of the type in GraphQL. */
  scalar: string
  /** JSON values of the type. */
  values: readonly unknown[]
  /** The operators in conditions: `nothing` has only `_is_null`, `order` also comparisons and lists, and `text` also `_like`. */
  compares: 'order' | 'text' | 'nothing'
}

const UUIDS = [1, 2, 3].map((n) => `0000000${n}-0000-4000-8000-000000000000`)

export const COLUMN_TYPES: readonly ColumnType[] = [
  { sql: 'integer', scalar: 'Int', values: [-1, 0, 1, 2, 3], compares: 'order' },
  { sql: 'smallint', scalar: 'smallint', values: [0, 1, 2], compares: 'order' },
  {
    sql: 'bigint',
    scalar: 'bigint',
    values: [0, 1, '9007199254740993'],
    compares: 'order',
  },
  { sql: 'numeric', scalar: 'numeric', values: [0, 1.5, '12.340', -3], compares: 'order' },
  { sql: 'double precision', scalar: 'float8', values: [0.5, -2.25, 3], compares: 'order' },
  { sql: 'real', scalar: 'real', values: [0.5, 2.25, 4], compares: 'order' },
  { sql: 'text', scalar: 'String', values: ['', 'a', 'b', 'Anna', "o'x", 'ä%_'], compares: 'text' },
  { sql: 'varchar(20)', scalar: 'String', values: ['a', 'Abc', 'x y'], compares: 'text' },
  { sql: 'boolean', scalar: 'Boolean', values: [true, false], compares: 'order' },
  { sql: 'uuid', scalar: 'uuid', values: UUIDS, compares: 'order' },
  { sql: 'date', scalar: 'date', values: ['2020-01-31', '2021-12-01'], compares: 'order' },
  {
    sql: 'timestamp',
    scalar: 'timestamp',
    values: ['2020-01-31T10:00:00', '2021-12-01T00:00:00.5'],
    compares: 'order',
  },
  {
    sql: 'timestamptz',
    scalar: 'timestamptz',
    values: ['2020-01-31T10:00:00+00:00', '2021-12-01T01:00:00+02:00'],
    compares: 'order',
  },
  { sql: 'time', scalar: 'time', values: ['10:00:00', '23:59:59'], compares: 'order' },
  { sql: 'interval', scalar: 'interval', values: ['1 day', '02:00:00'], compares: 'order' },
  { sql: 'json', scalar: 'json', values: [{ a: 1 }, [1, 'x'], 'text', 5], compares: 'nothing' },
  {
    sql: 'jsonb',
    scalar: 'jsonb',
    values: [{ a: 1, b: { c: [1, 2] } }, [1, 'x'], { a: null }, 5, 'text'],
    compares: 'nothing',
  },
  { sql: 'integer[]', scalar: '_int4', values: [[1, 2], [], [3]], compares: 'nothing' },
  { sql: 'text[]', scalar: '_text', values: [['a', 'b'], []], compares: 'nothing' },
  { sql: 'mood', scalar: 'mood', values: ['happy', 'sad'], compares: 'order' },
  { sql: 'positive', scalar: 'positive', values: [1, 2, 3], compares: 'order' },
]

/** The statements that create the custom types. */
export const TYPE_STATEMENTS = [
  "create type mood as enum ('happy', 'sad', 'so so')",
  'create domain positive as integer check (value > 0)',
]
