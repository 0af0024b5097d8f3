import type { PgType } from '../catalog.ts'
import type { Column, ComputedField, Relationship, Table } from '../model/model.ts'
import { builtIn, scalarOf } from '../scalars.ts'
import { OPERATORS, operatorsOf, type Takes } from '../sql/operators.ts'
import { builtInScalar, type Context, valueType } from './context.ts'
import { selectColumns } from './select-columns.ts'
import {
  byName,
  type InputField,
  type InputType,
  input,
  listOf,
  namedType,
  required,
  type TypeRef,
} from './types.ts'

/** `G_bool_exp`: conditions on a row, its relations, and combinations of them. */
export function filterType(ctx: Context, table: Table): InputType {
  const description = `Boolean expression to filter rows from the table "${table.name}". All fields are combined with a logical 'AND'.`
  return ctx.input(`${table.graphqlName}_bool_exp`, description, () => {
    const self = filterType(ctx, table)
    const select = ctx.access(table).select
    const columns = [...(select?.columns.keys() ?? [])]
    const computed = [...(select?.computedFields.keys() ?? [])]
    return byName([
      input('_and', listOf(self), { is: 'and' }),
      input('_or', listOf(self), { is: 'or' }),
      input('_not', self, { is: 'not' }),
      ...columns.map((column) => columnFilter(ctx, column)),
      ...[...table.relationships.values()].flatMap((r) => relationshipFilters(ctx, r)),
      ...computed.flatMap((field) => computedFilter(ctx, field) ?? []),
    ])
  })
}

function columnFilter(ctx: Context, column: Column): InputField {
  return input(column.field, comparisonType(ctx, column), { is: 'column', column })
}

function relationshipFilters(ctx: Context, relationship: Relationship): InputField[] {
  const { name, remote, kind } = relationship
  const permission = ctx.access(remote).select
  if (!permission) return []
  const rows = input(name, filterType(ctx, remote), { is: 'relationship', relationship })
  if (kind === 'object' || !permission.aggregations) return [rows]
  const aggregate = input(`${name}_aggregate`, aggregateFilter(ctx, remote), {
    is: 'relationshipAggregate',
    relationship,
  })
  return [rows, aggregate]
}

/** Computed fields can be compared when nothing has to be given to them. */
function computedFilter(ctx: Context, field: ComputedField): InputField | null {
  const { returns } = field
  if (field.args.some(({ is, optional }) => is === 'given' && !optional)) return null
  const meaning = { is: 'computedField', field } as const
  if (returns.kind === 'scalar') return input(field.field, comparisonType(ctx, returns), meaning)
  if (!ctx.access(returns.table).select) return null
  return input(field.field, filterType(ctx, returns.table), meaning)
}

/** `<Scalar>_comparison_exp`: one field per operator that the type has. */
function comparisonType(
  ctx: Context,
  { type, enumType }: Pick<Column, 'type' | 'enumType'>,
): InputType {
  const of = valueType(ctx, { type, enumType })
  const array = type.element !== null
  const name = `${namedType(of).name}${array ? '_array' : ''}_comparison_exp`
  const description = `Boolean expression to compare columns of type "${namedType(of).name}". All fields are combined with logical 'AND'.`
  return ctx.input(name, description, () => {
    const family = array ? 'array' : scalarOf(type).family
    const operators = operatorsOf(family, enumType !== null).map((operator) =>
      input(operator, TAKES[OPERATORS[operator].takes](ctx, of), { is: 'operator', operator }),
    )
    const isNull = input('_is_null', builtInScalar(ctx, 'Boolean'), { is: 'isNull' })
    const cast = input('_cast', castType(ctx), { is: 'cast' })
    return byName([...operators, isNull, ...(family === 'jsonb' ? [cast] : [])])
  })
}

const TAKES: Readonly<Record<Takes, (ctx: Context, of: TypeRef) => TypeRef>> = {
  same: (_, of) => of,
  list: (_, of) => listOf(of),
  text: (ctx) => builtInScalar(ctx, 'String'),
  texts: (ctx) => listOf(builtInScalar(ctx, 'String')),
}

function castType(ctx: Context): InputType {
  const text: PgType = builtIn('text')
  return ctx.input('jsonb_cast_exp', null, () => {
    const comparison = comparisonType(ctx, { type: text, enumType: null })
    return byName([input('String', comparison, { is: 'cast' })])
  })
}

/** `R_aggregate_bool_exp`: conditions on how many, or on all or any, of the related rows. */
function aggregateFilter(ctx: Context, table: Table): InputType {
  const name = `${table.graphqlName}_aggregate_bool_exp`
  return ctx.input(name, null, () => {
    const columns = [...(ctx.access(table).select?.columns.keys() ?? [])]
    const flags = columns.filter(({ type }) => type.name === 'bool')
    const count = aggregatePredicate(ctx, table, 'count', {
      columns: selectColumns(ctx, table),
      compares: builtIn('int4'),
    })
    const folds = ['bool_and', 'bool_or'].map((fold) =>
      input(
        fold,
        aggregatePredicate(ctx, table, fold, {
          columns: ctx.enumeration(
            `${table.graphqlName}_select_column_${name}_${fold}_arguments_columns`,
            () => ({
              description: `select "${name}_${fold}_arguments_columns" columns of table "${table.name}"`,
              values: flags.map(({ field }) => ({ name: field, description: 'column name' })),
              database: null,
            }),
          ),
          compares: builtIn('bool'),
        }),
        { is: 'fold', function: fold },
      ),
    )
    return byName([...(flags.length > 0 ? folds : []), input('count', count, { is: 'count' })])
  })
}

function aggregatePredicate(
  ctx: Context,
  table: Table,
  fold: string,
  { columns, compares }: { columns: TypeRef; compares: PgType },
): InputType {
  const args = fold === 'count' ? listOf(columns) : required(columns)
  const predicate = comparisonType(ctx, { type: compares, enumType: null })
  return ctx.input(`${table.graphqlName}_aggregate_bool_exp_${fold}`, null, () =>
    byName([
      input('arguments', args),
      input('distinct', builtInScalar(ctx, 'Boolean')),
      input('filter', filterType(ctx, table)),
      input('predicate', required(predicate)),
    ]),
  )
}
