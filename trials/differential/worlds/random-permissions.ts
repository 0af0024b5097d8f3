import fc from 'fast-check'
import { randomCondition } from './random-conditions.ts'
import type { Table } from './random-tables.ts'

/** The permissions of one role on one table, by kind. */
export type TablePermissions = Partial<Record<Kind, Record<string, unknown>>>

const KINDS = ['select', 'insert', 'update', 'delete'] as const
type Kind = (typeof KINDS)[number]

/** Generates a role's permissions on a table. The role can usually read the table, and often change it. */
export function randomPermissions(
  table: Table,
  tables: readonly Table[],
): fc.Arbitrary<TablePermissions> {
  const condition = () => randomCondition(table, tables)
  const columns = writableColumns(table)
  return fc
    .record({
      select: fc.option(selectPermissions(table, condition()), { freq: 12 }),
      insert: fc.option(
        fc.record({
          check: condition(),
          columns: randomColumns(columns),
          set: presets(table),
        }),
        { freq: 2 },
      ),
      update: fc.option(
        fc.record({
          columns: randomColumns(columns),
          filter: condition(),
          check: fc.option(condition(), { freq: 1 }),
          set: presets(table),
        }),
        { freq: 2 },
      ),
      delete: fc.option(fc.record({ filter: condition() }), { freq: 2 }),
    })
    .map((all) =>
      Object.fromEntries(KINDS.flatMap((kind) => (all[kind] ? [[kind, all[kind]]] : []))),
    )
}

function selectPermissions(table: Table, filter: fc.Arbitrary<object>) {
  return fc.record({
    columns: randomColumns(writableColumns(table)),
    filter,
    allow_aggregations: fc.boolean(),
    computed_fields: fc.subarray(['label']),
    limit: fc.option(fc.integer({ min: 0, max: 4 }), { freq: 4, nil: undefined }),
  })
}

function writableColumns({ key, columns, parents }: Table): string[] {
  return [...key.columns, ...columns].map(({ name }) => name).concat(parents.map((p) => p.column))
}

/** Chooses mostly all columns, because rejected operations prove less. Otherwise chooses some columns, usually with the first key column. */
function randomColumns(all: readonly string[]): fc.Arbitrary<string[] | '*'> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant<'*'>('*') },
    {
      weight: 2,
      arbitrary: fc.subarray(all.slice(1)).map((some) => [...all.slice(0, 1), ...some]),
    },
    { weight: 1, arbitrary: fc.subarray([...all]) },
  )
}

function presets({ columns }: Table): fc.Arbitrary<Record<string, unknown> | undefined> {
  const numbers = columns.filter(({ type }) => type.sql === 'integer').map(({ name }) => name)
  if (numbers.length === 0) return fc.constant(undefined)
  return fc.option(
    fc.constantFrom(...numbers).map((name) => ({ [name]: 'X-Hasura-Number' })),
    { freq: 2, nil: undefined },
  )
}
