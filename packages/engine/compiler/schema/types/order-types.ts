import type { Column, ComputedField, Relationship, Table } from '../../model/model.ts'
import {
  type EnumType,
  fieldsByName,
  type InputField,
  type InputType,
  inputField,
} from '../graphql-types.ts'
import { inHashOrder } from '../hash-order.ts'
import type { SchemaContext } from '../schema-context.ts'
import { canAggregate, NUMERIC_AGGREGATES, ORDERED_AGGREGATES } from './aggregate-functions.ts'
import { takesArguments } from './function-fields.ts'
import { nameForDescription } from './name-for-description.ts'
import { memberName, type TableMember } from './table-member.ts'

/** Builds `<table>_order_by`: orders by columns, related rows, or aggregates over related rows. */
export function orderType(ctx: SchemaContext, table: Table): InputType {
  const description = `Ordering options when selecting data from "${nameForDescription(table)}".`
  return ctx.input(ctx.naming.type(table.baseName, 'order_by'), description, () => {
    const select = ctx.access(table).select
    const members: TableMember[] = [
      ...(select?.columns.keys() ?? []),
      ...table.relationships.values(),
      ...(select?.computedFields.keys() ?? []),
    ]
    return fieldsByName(
      inHashOrder(members, memberName).flatMap((member) => memberOrder(ctx, member) ?? []),
    )
  })
}

function memberOrder(ctx: SchemaContext, member: TableMember): InputField | null {
  if ('returns' in member) return computedOrder(ctx, member)
  if ('remote' in member) return relationshipOrder(ctx, member)
  return inputField(member.field, orderDirection(ctx), { kind: 'column', column: member })
}

/** Builds the enum `order_by`. */
function orderDirection(ctx: SchemaContext): EnumType {
  const { naming } = ctx
  return ctx.enumeration(naming.sharedType('order_by'), () => ({
    description: 'column ordering options',
    values: Object.entries(DIRECTIONS).map(([name, description]) => ({
      name: naming.enumValue(name),
      description,
    })),
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

function relationshipOrder(ctx: SchemaContext, relationship: Relationship): InputField | null {
  const { name, kind, remote } = relationship
  if (!ctx.access(remote).select) return null
  if (kind === 'object')
    return inputField(name, orderType(ctx, remote), { kind: 'relationship', relationship })
  // A role that may not read the aggregates can still sort by them, as in Hasura.
  return inputField(aggregateOrderName(ctx, name), aggregateOrder(ctx, remote), {
    kind: 'relationshipAggregate',
    relationship,
  })
}

function computedOrder(ctx: SchemaContext, field: ComputedField): InputField | null {
  const { returns } = field
  if (takesArguments(field)) return null
  if (returns.kind === 'scalar')
    return inputField(field.field, orderDirection(ctx), { kind: 'computedField', field })
  if (!ctx.access(returns.table).select) return null
  return inputField(aggregateOrderName(ctx, field.field), aggregateOrder(ctx, returns.table), {
    kind: 'computedFieldAggregate',
    field,
  })
}

/** Returns the name of an order by an aggregate. The relationship's name is a single word here, as in Hasura. */
function aggregateOrderName({ naming }: SchemaContext, name: string): string {
  return naming.field({ words: [name], isCustom: false }, 'aggregate')
}

function aggregateOrder(ctx: SchemaContext, table: Table): InputType {
  const { naming } = ctx
  const description = `order by aggregate values of table "${nameForDescription(table)}"`
  return ctx.input(naming.type(table.baseName, 'aggregate_order_by'), description, () => {
    const columns = inHashOrder(ctx.access(table).select?.columns.keys() ?? [], memberName)
    const aggregates = [...ORDERED_AGGREGATES, ...NUMERIC_AGGREGATES].flatMap((aggregate) => {
      const aggregatedColumns = columns.filter((column) => canAggregate(aggregate, column))
      if (aggregatedColumns.length === 0) return []
      const name = naming.field(aggregate)
      const typeDescription = `order by ${name}() on columns of table "${nameForDescription(table)}"`
      const type = ctx.input(
        naming.type(table.baseName, `${aggregate}_order_by`),
        typeDescription,
        () => fieldsByName(aggregatedColumns.map(columnOrder)),
      )
      return [inputField(name, type, { kind: 'aggregateFunction', function: aggregate })]
    })
    return fieldsByName([
      inputField('count', orderDirection(ctx), { kind: 'count' }),
      ...aggregates,
    ])
  })

  function columnOrder(column: Column): InputField {
    const { comment: description } = column
    return inputField(
      column.field,
      orderDirection(ctx),
      { kind: 'column', column },
      { description },
    )
  }
}
