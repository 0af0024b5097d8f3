import type { PgType } from '../../../postgres/catalog.ts'
import { builtInType, castTarget, scalarOf } from '../../../postgres/scalars.ts'
import type { Column, ComputedField, Relationship, Table } from '../../model/model.ts'
import { customBaseName } from '../../model/naming.ts'
import {
  OPERATORS,
  type OperandKind,
  type OperatorName,
  operandType,
  operatorsOfFamily,
} from '../../operators.ts'
import {
  type EnumType,
  fieldsByName,
  type InputField,
  type InputType,
  inputField,
  listType,
  namedType,
  requiredType,
  type TypeRef,
} from '../graphql-types.ts'
import { inHashOrder } from '../hash-order.ts'
import { builtInScalar, type SchemaContext, valueType } from '../schema-context.ts'
import { PREDICATE_AGGREGATES } from './aggregate-functions.ts'
import { takesArguments } from './function-fields.ts'
import { functionOperatorFields } from './function-operator-fields.ts'
import { nameForDescription } from './name-for-description.ts'
import { operatorDescription } from './operator-descriptions.ts'
import { selectColumns } from './select-columns.ts'
import { memberName, type TableMember } from './table-member.ts'

/** Builds `<table>_bool_exp`: conditions on a row and its related rows, and combinations of conditions. */
export function filterType(ctx: SchemaContext, table: Table): InputType {
  const { isLogicalModel } = table
  const of = `${isLogicalModel ? 'logical model for' : 'table'} "${nameForDescription(table)}"`
  const description = `Boolean expression to filter rows from the ${of}. All fields are combined with a logical 'AND'.`
  const suffix = isLogicalModel ? 'bool_exp_bool_exp' : 'bool_exp'
  return ctx.input(ctx.naming.type(table.baseName, suffix), description, () => {
    const self = filterType(ctx, table)
    const select = ctx.access(table).select
    const columns = [...(select?.columns.keys() ?? [])]
    const relationships = [...table.relationships.values()]
    const computedFields = [...(select?.computedFields.keys() ?? [])]
    return fieldsByName([
      ...inHashOrder([...columns, ...relationships, ...computedFields], memberName).flatMap(
        (member) => memberFilter(ctx, member) ?? [],
      ),
      inputField('_or', listType(self), { kind: 'or' }),
      inputField('_and', listType(self), { kind: 'and' }),
      inputField('_not', self, { kind: 'not' }),
      ...relationships.flatMap(
        (relationship) => relationshipAggregateFilter(ctx, relationship) ?? [],
      ),
    ])
  })
}

function memberFilter(ctx: SchemaContext, member: TableMember): InputField | null {
  if ('returns' in member) return computedFilter(ctx, member)
  if ('remote' in member) return relationshipFilter(ctx, member)
  return inputField(member.field, comparisonType(ctx, member), { kind: 'column', column: member })
}

function relationshipFilter(ctx: SchemaContext, relationship: Relationship): InputField | null {
  const { name, remote } = relationship
  if (!ctx.access(remote).select) return null
  return inputField(name, filterType(ctx, remote), { kind: 'relationship', relationship })
}

function relationshipAggregateFilter(
  ctx: SchemaContext,
  relationship: Relationship,
): InputField | null {
  const { name, remote, kind } = relationship
  const isHidden = ctx.model.settings.experimentalFeatures.includes('hide_aggregation_predicates')
  if (kind === 'object' || !ctx.access(remote).select?.allowsAggregations || isHidden) return null
  const meaning = { kind: 'relationshipAggregate', relationship } as const
  const field = ctx.naming.field(customBaseName(name), 'aggregate')
  return inputField(field, aggregateFilter(ctx, remote), meaning)
}

/**
 * Returns the condition on a computed field. Returns null if the caller would have to pass arguments, or if the role
 * may not read the rows that the field returns.
 */
function computedFilter(ctx: SchemaContext, field: ComputedField): InputField | null {
  const { returns } = field
  if (takesArguments(field)) return null
  const meaning = { kind: 'computedField', field } as const
  if (returns.kind === 'scalar')
    return inputField(field.field, comparisonType(ctx, returns), meaning)
  if (!ctx.access(returns.table).select) return null
  return inputField(field.field, filterType(ctx, returns.table), meaning)
}

/** Builds `<Scalar>_comparison_exp`: a field for each operator of the type. */
function comparisonType(
  ctx: SchemaContext,
  { type, enumType }: Pick<Column, 'type' | 'enumType'>,
): InputType {
  const of = valueType(ctx, { type, enumType })
  const array = type.element !== null
  const { naming } = ctx
  const suffix = of.kind === 'list' ? 'array_comparison_exp' : 'comparison_exp'
  const name = naming.sharedType(namedType(of).name, suffix)
  const description = `Boolean expression to compare columns of type "${namedType(of).name}". All fields are combined with logical 'AND'.`
  // Hasura has the JSON path operators only in versions after the imitated version, so a setting enables them.
  const isOffered = (operator: OperatorName) =>
    OPERATORS[operator].operandKind !== 'jsonpath' || ctx.model.settings.jsonbPathOperators
  return ctx.input(name, description, () => {
    const family = array ? 'array' : scalarOf(type).family
    const familyOperators = operatorsOfFamily(family, enumType !== null)
    const operators = familyOperators.filter(isOffered).map((operator) => {
      const operand = operandOf(ctx, of, { type, operandKind: OPERATORS[operator].operandKind })
      const description = operatorDescription(operator, array)
      const name = naming.field(operator)
      return inputField(name, operand, { kind: 'operator', operator }, { description })
    })
    const isNull = inputField(naming.field('_is_null'), builtInScalar(ctx, 'Boolean'), {
      kind: 'isNull',
    })
    return fieldsByName([
      ...castFields(ctx, type),
      isNull,
      ...operators,
      ...functionOperatorFields(ctx, of, type),
    ])
  })
}

/** Returns the type of an operator's right operand. */
function operandOf(
  ctx: SchemaContext,
  of: TypeRef,
  { type, operandKind }: { type: PgType; operandKind: OperandKind },
): TypeRef {
  switch (operandKind) {
    case 'value':
      return of
    case 'list':
      return listType(of)
    case 'text':
    case 'jsonpath':
      return builtInScalar(ctx, 'String')
    case 'texts':
    case 'lqueries':
      return listType(builtInScalar(ctx, 'String'))
    default:
      return ctx.scalar(operandKind, operandType(operandKind, type))
  }
}

/** Returns `_cast` if values of the type can be compared as another type. */
function castFields(ctx: SchemaContext, type: PgType): InputField[] {
  const target = castTarget(type)
  if (target === null) return []
  const name = ctx.naming.sharedType(`${scalarOf(type).name}_cast_exp`)
  const cast = ctx.input(name, null, () => {
    const comparison = comparisonType(ctx, { type: target, enumType: null })
    return fieldsByName([inputField(scalarOf(target).name, comparison, { kind: 'cast' })])
  })
  return [inputField('_cast', cast, { kind: 'cast' })]
}

/**
 * Builds `<related table>_aggregate_bool_exp`: conditions on the number of related rows, or on aggregates over them.
 */
function aggregateFilter(ctx: SchemaContext, table: Table): InputType {
  const { naming } = ctx
  const name = [table.baseName, 'aggregate_bool_exp'] as const
  return ctx.input(naming.sharedType(...name), null, () => {
    const columns = selectColumns(ctx, table)
    const count = aggregatePredicate(ctx, table, 'count', {
      args: columns && inputField('arguments', listType(columns)),
      compares: builtInType('int4'),
    })
    const aggregates = Object.entries(PREDICATE_AGGREGATES).flatMap(
      ([aggregate, { of, takes }]) => {
        const column = aggregatedColumns(ctx, table, aggregate, of)
        if (!column) return []
        const type =
          takes === 'one'
            ? column
            : pairType(ctx, naming.field(...name, customBaseName(aggregate), 'arguments'), column)
        const args = inputField('arguments', requiredType(type))
        const predicate = aggregatePredicate(ctx, table, aggregate, {
          args,
          compares: builtInType(of),
        })
        return [
          inputField(aggregate, predicate, { kind: 'aggregateFunction', function: aggregate }),
        ]
      },
    )
    return fieldsByName([...aggregates, inputField('count', count, { kind: 'count' })])
  })
}

/** Builds the enum of the columns of exactly the type `of`; null if there are none. */
function aggregatedColumns(
  ctx: SchemaContext,
  table: Table,
  aggregate: string,
  of: string,
): EnumType | null {
  const columns = inHashOrder(ctx.access(table).select?.columns.keys() ?? [], memberName).filter(
    ({ type, enumType }) => type.name === of && enumType === null,
  )
  if (columns.length === 0) return null
  const { naming } = ctx
  const { baseName } = table
  const words = [
    baseName,
    'aggregate_bool_exp',
    customBaseName(aggregate),
    'arguments_columns',
  ] as const
  return ctx.enumeration(naming.type(baseName, 'select_column', ...words), () => ({
    description: `select "${naming.field(...words)}" columns of table "${nameForDescription(table)}"`,
    values: columns.map(({ field }) => ({ name: field, description: 'column name' })),
    database: null,
  }))
}

function pairType(ctx: SchemaContext, name: string, column: EnumType): InputType {
  return ctx.input(name, null, () =>
    fieldsByName([inputField('X', requiredType(column)), inputField('Y', requiredType(column))]),
  )
}

type AggregateArguments = {
  /**
   * The argument for the function's columns; null if the role may read no columns, so that only rows can be counted.
   */
  args: InputField | null
  compares: PgType
}

function aggregatePredicate(
  ctx: SchemaContext,
  table: Table,
  aggregate: string,
  { args, compares }: AggregateArguments,
): InputType {
  const predicate = comparisonType(ctx, { type: compares, enumType: null })
  const name = ctx.naming.field(table.baseName, 'aggregate_bool_exp', customBaseName(aggregate))
  return ctx.input(name, null, () =>
    fieldsByName([
      ...(args ? [args] : []),
      inputField('distinct', builtInScalar(ctx, 'Boolean')),
      inputField('filter', filterType(ctx, table)),
      inputField('predicate', requiredType(predicate)),
    ]),
  )
}
