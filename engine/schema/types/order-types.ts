import type { Column, ComputedField, Relationship, Table } from '../../model/model.ts'
import type { Context } from '../context.ts'
import { byName, type EnumType, type InputField, type InputType, input } from '../graphql-types.ts'
import { COMPARED, foldable, NUMERIC } from './folds.ts'
import { takesArguments } from './function-fields.ts'
import { keyText } from './key-text.ts'

/** `G_order_by`: by columns, related rows, or aggregates over related rows. */
export function orderType(ctx: Context, table: Table): InputType {
  const description = `Ordering options when selecting data from "${keyText(table)}".`
  return ctx.input(`${table.graphqlName}_order_by`, description, () => {
    const select = ctx.access(table).select
    const columns = [...(select?.columns.keys() ?? [])]
    const computed = [...(select?.computedFields.keys() ?? [])]
    return byName([
      ...columns.map((column) => input(column.field, direction(ctx), { kind: 'column', column })),
      ...[...table.relationships.values()].flatMap((r) => relationshipOrder(ctx, r) ?? []),
      ...computed.flatMap((field) => computedOrder(ctx, field) ?? []),
    ])
  })
}

/** The enum `order_by`. */
function direction(ctx: Context): EnumType {
  return ctx.enumeration('order_by', () => ({
    description: 'column ordering options',
    values: Object.entries(DIRECTIONS).map(([name, description]) => ({ name, description })),
    database: null,
  }))
}

const DIRECTIONS = {
  asc: 'in ascending order, nulls last',
  asc_nulls_first: 'in ascending order, nulls first',
  asc_nulls_last: 'in ascending order, nulls last',
  desc: 'in descending order, nulls first',
  desc_nulls_first: 'in descending order, nulls first',
  desc_nulls_last: 'in descending order, nulls last',
} as const

function relationshipOrder(ctx: Context, relationship: Relationship): InputField | null {
  const { name, kind, remote } = relationship
  if (!ctx.access(remote).select) return null
  if (kind === 'object')
    return input(name, orderType(ctx, remote), { kind: 'relationship', relationship })
  // As in Hasura, also for roles that may not see the aggregates themselves.
  return input(`${name}_aggregate`, aggregateOrder(ctx, remote), {
    kind: 'relationshipAggregate',
    relationship,
  })
}

function computedOrder(ctx: Context, field: ComputedField): InputField | null {
  const { returns } = field
  if (takesArguments(field)) return null
  if (returns.kind === 'scalar')
    return input(field.field, direction(ctx), { kind: 'computedField', field })
  if (!ctx.access(returns.table).select) return null
  return input(`${field.field}_aggregate`, aggregateOrder(ctx, returns.table), {
    kind: 'computedFieldAggregate',
    field,
  })
}

function aggregateOrder(ctx: Context, table: Table): InputType {
  const name = table.graphqlName
  const description = `order by aggregate values of table "${keyText(table)}"`
  return ctx.input(`${name}_aggregate_order_by`, description, () => {
    const columns = [...(ctx.access(table).select?.columns.keys() ?? [])]
    const folds = [...COMPARED, ...NUMERIC].flatMap((fold) => {
      const folded = columns.filter((column) => foldable(fold, column))
      if (folded.length === 0) return []
      const described = `order by ${fold}() on columns of table "${keyText(table)}"`
      const type = ctx.input(`${name}_${fold}_order_by`, described, () => byName(folded.map(by)))
      return [input(fold, type, { kind: 'fold', function: fold })]
    })
    return byName([input('count', direction(ctx), { kind: 'count' }), ...folds])
  })

  function by(column: Column): InputField {
    const { comment: description } = column
    return input(column.field, direction(ctx), { kind: 'column', column }, { description })
  }
}
