import type { Column, ComputedField, Relationship, Table } from '../../model/model.ts'
import type { PgType } from '../../postgres/catalog.ts'
import { OPERATORS, operandType, operatorsOf, type Takes } from '../../postgres/operators.ts'
import { builtIn, scalarOf } from '../../postgres/scalars.ts'
import { builtInScalar, type Context, valueType } from '../context.ts'
import {
  byName,
  type EnumType,
  type InputField,
  type InputType,
  input,
  listOf,
  namedType,
  required,
  type TypeRef,
} from '../graphql-types.ts'
import { PREDICATES } from './folds.ts'
import { takesArguments } from './function-fields.ts'
import { keyText } from './key-text.ts'
import { operatorDescription } from './operator-descriptions.ts'
import { selectColumns } from './select-columns.ts'

/** `G_bool_exp`: conditions on a row and its related rows, and combinations of them. */
export function filterType(ctx: Context, table: Table): InputType {
  const description = `Boolean expression to filter rows from the table "${keyText(table)}". All fields are combined with a logical 'AND'.`
  return ctx.input(`${table.graphqlName}_bool_exp`, description, () => {
    const self = filterType(ctx, table)
    const select = ctx.access(table).select
    const columns = [...(select?.columns.keys() ?? [])]
    const computed = [...(select?.computedFields.keys() ?? [])]
    return byName([
      input('_and', listOf(self), { kind: 'and' }),
      input('_or', listOf(self), { kind: 'or' }),
      input('_not', self, { kind: 'not' }),
      ...columns.map((column) => columnFilter(ctx, column)),
      ...[...table.relationships.values()].flatMap((r) => relationshipFilters(ctx, r)),
      ...computed.flatMap((field) => computedFilter(ctx, field) ?? []),
    ])
  })
}

function columnFilter(ctx: Context, column: Column): InputField {
  return input(column.field, comparisonType(ctx, column), { kind: 'column', column })
}

function relationshipFilters(ctx: Context, relationship: Relationship): InputField[] {
  const { name, remote, kind } = relationship
  const permission = ctx.access(remote).select
  if (!permission) return []
  const rows = input(name, filterType(ctx, remote), { kind: 'relationship', relationship })
  const hidden = ctx.model.settings.experimentalFeatures.includes('hide_aggregation_predicates')
  if (kind === 'object' || !permission.aggregations || hidden) return [rows]
  const aggregate = input(`${name}_aggregate`, aggregateFilter(ctx, remote), {
    kind: 'relationshipAggregate',
    relationship,
  })
  return [rows, aggregate]
}

/** The condition on a computed field; null if callers must give it arguments. */
function computedFilter(ctx: Context, field: ComputedField): InputField | null {
  const { returns } = field
  if (takesArguments(field)) return null
  const meaning = { kind: 'computedField', field } as const
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
  const name = `${namedType(of).name}${of.kind === 'list' ? '_array' : ''}_comparison_exp`
  const description = `Boolean expression to compare columns of type "${namedType(of).name}". All fields are combined with logical 'AND'.`
  return ctx.input(name, description, () => {
    const family = array ? 'array' : scalarOf(type).family
    const operators = operatorsOf(family, enumType !== null).map((operator) => {
      const operand = operandOf(ctx, of, { type, takes: OPERATORS[operator].takes })
      const description = operatorDescription(operator, array)
      return input(operator, operand, { kind: 'operator', operator }, { description })
    })
    const isNull = input('_is_null', builtInScalar(ctx, 'Boolean'), { kind: 'isNull' })
    const cast = input('_cast', castType(ctx), { kind: 'cast' })
    return byName([...operators, isNull, ...(family === 'jsonb' ? [cast] : [])])
  })
}

/** The type of an operator's right operand. */
function operandOf(
  ctx: Context,
  of: TypeRef,
  { type, takes }: { type: PgType; takes: Takes },
): TypeRef {
  switch (takes) {
    case 'same':
      return of
    case 'list':
      return listOf(of)
    case 'text':
    case 'jsonpath':
      return builtInScalar(ctx, 'String')
    case 'texts':
    case 'lqueries':
      return listOf(builtInScalar(ctx, 'String'))
    default:
      return ctx.scalar(takes, operandType(takes, type))
  }
}

function castType(ctx: Context): InputType {
  const text: PgType = builtIn('text')
  return ctx.input('jsonb_cast_exp', null, () => {
    const comparison = comparisonType(ctx, { type: text, enumType: null })
    return byName([input('String', comparison, { kind: 'cast' })])
  })
}

/** `R_aggregate_bool_exp`: conditions on the number of related rows, or on an aggregate over them. */
function aggregateFilter(ctx: Context, table: Table): InputType {
  const name = `${table.graphqlName}_aggregate_bool_exp`
  return ctx.input(name, null, () => {
    const columns = selectColumns(ctx, table)
    const count = aggregatePredicate(ctx, table, 'count', {
      args: columns && input('arguments', listOf(columns)),
      compares: builtIn('int4'),
    })
    const folds = Object.entries(PREDICATES).flatMap(([fold, { of, takes }]) => {
      const column = foldedColumns(ctx, table, `${name}_${fold}`, of)
      if (!column) return []
      const type = takes === 'one' ? column : pairType(ctx, `${name}_${fold}_arguments`, column)
      const args = input('arguments', required(type))
      const predicate = aggregatePredicate(ctx, table, fold, { args, compares: builtIn(of) })
      return [input(fold, predicate, { kind: 'fold', function: fold })]
    })
    return byName([...folds, input('count', count, { kind: 'count' })])
  })
}

/** The enum of the columns of exactly this type; null when there are none. */
function foldedColumns(ctx: Context, table: Table, prefix: string, of: string): EnumType | null {
  const columns = [...(ctx.access(table).select?.columns.keys() ?? [])].filter(
    ({ type, enumType }) => type.name === of && enumType === null,
  )
  if (columns.length === 0) return null
  return ctx.enumeration(`${table.graphqlName}_select_column_${prefix}_arguments_columns`, () => ({
    description: `select "${prefix}_arguments_columns" columns of table "${keyText(table)}"`,
    values: columns.map(({ field }) => ({ name: field, description: 'column name' })),
    database: null,
  }))
}

function pairType(ctx: Context, name: string, column: EnumType): InputType {
  return ctx.input(name, null, () =>
    byName([input('X', required(column)), input('Y', required(column))]),
  )
}

type Predicated = {
  /** The columns that the function is applied to; null if that can only be the rows. */
  args: InputField | null
  compares: PgType
}

function aggregatePredicate(
  ctx: Context,
  table: Table,
  fold: string,
  { args, compares }: Predicated,
): InputType {
  const predicate = comparisonType(ctx, { type: compares, enumType: null })
  return ctx.input(`${table.graphqlName}_aggregate_bool_exp_${fold}`, null, () =>
    byName([
      ...(args ? [args] : []),
      input('distinct', builtInScalar(ctx, 'Boolean')),
      input('filter', filterType(ctx, table)),
      input('predicate', required(predicate)),
    ]),
  )
}
