import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import { validationError } from '../../../errors.ts'
import { ownValue } from '../../../json/own-value.ts'
import type { PgType } from '../../../postgres/catalog.ts'
import { builtInType, castTarget } from '../../../postgres/scalars.ts'
import { type AggregateCall, type Predicate, type Scalar, TRUE, UNBOUNDED } from '../../ir/ir.ts'
import type { ComputedField, Relationship, Table } from '../../model/model.ts'
import { functionCall } from '../../model/tables/function-call.ts'
import type { OperandKind, OperatorName } from '../../operators.ts'
import { isListOperand, OPERATORS, operandType } from '../../operators.ts'
import { PREDICATE_AGGREGATES } from '../../schema/types/aggregate-functions.ts'
import {
  type Input,
  isPresent,
  nullableType,
  type ObjectMember,
  objectMember,
  readItems,
  readMembers,
} from '../document/input.ts'
import { comparand, listComparand, nullableScalar, readFlag } from '../document/parameter.ts'
import type { Planner } from '../planner.ts'
import {
  columnByEnum,
  columnScalar,
  maskedScalar,
  relationshipJoin,
  selectPermission,
} from './access.ts'
import { planFunctionOperator } from './function-operator.ts'

/** Plans `where`. Conditions on related rows consider only rows that the role may see. */
export function planFilter(planner: Planner, input: Input, table: Table): Predicate {
  const operands = readMembers(planner, input, (member) => planMember(planner, member, table))
  return { kind: 'and', operands }
}

/** Plans an optional `where`. */
export function planOptionalFilter(planner: Planner, input: Input, table: Table): Predicate {
  return isPresent(planner, input) ? planFilter(planner, input, table) : TRUE
}

function planMember(planner: Planner, { field, value }: ObjectMember, table: Table): Predicate {
  const { meaning } = field
  switch (meaning.kind) {
    case 'and':
      return {
        kind: 'and',
        operands: readItems(planner, value, (item) => planFilter(planner, item, table)),
      }
    case 'or':
      return {
        kind: 'or',
        operands: readItems(planner, value, (item) => planFilter(planner, item, table)),
      }
    case 'not':
      return { kind: 'not', of: planFilter(planner, value, table) }
    case 'column':
      return planComparisons(
        planner,
        value,
        columnScalar(planner, table, meaning.column),
        meaning.column.type,
      )
    case 'relationship':
      return relationshipFilter(planner, value, meaning.relationship)
    case 'relationshipAggregate':
      return relationshipAggregateFilter(planner, value, meaning.relationship)
    case 'computedField':
      return computedFieldFilter(planner, value, table, meaning.field)
    default:
      throw validationError(value.path, `field '${field.name}' cannot be compared`)
  }
}

function relationshipFilter(planner: Planner, input: Input, relationship: Relationship): Predicate {
  planner.notes.countSubquery()
  const { remote } = relationship
  const where = planFilter(planner, input, remote)
  return {
    kind: 'exists',
    from: { kind: 'table', table: remote },
    join: relationshipJoin(relationship),
    where: { kind: 'and', operands: [selectPermission(planner, remote, input.path).filter, where] },
  }
}

function computedFieldFilter(
  planner: Planner,
  input: Input,
  table: Table,
  field: ComputedField,
): Predicate {
  planner.notes.countSubquery()
  const call = functionCall(field, new Map())
  const { returns } = field
  if (returns.kind === 'scalar') {
    const mask = selectPermission(planner, table, input.path).computedFields.get(field)
    return planComparisons(planner, input, maskedScalar({ kind: 'call', call }, mask), returns.type)
  }
  const { filter } = selectPermission(planner, returns.table, input.path)
  const where = planFilter(planner, input, returns.table)
  return {
    kind: 'exists',
    from: { kind: 'function', call },
    join: [],
    where: { kind: 'and', operands: [filter, where] },
  }
}

function planComparisons(planner: Planner, input: Input, left: Scalar, type: PgType): Predicate {
  const { nullCollapse } = planner.schema.model.settings
  const operands = readMembers(planner, input, ({ field: { meaning }, value }): Predicate => {
    if (nullCollapse && meaning.kind !== 'cast' && !isPresent(planner, value)) return TRUE
    switch (meaning.kind) {
      case 'isNull':
        return { kind: 'null', of: left, isNull: readFlag(planner, value) }
      case 'operator':
        return planComparison(planner, meaning.operator, left, { value, type })
      case 'functionOperator':
        return planFunctionOperator(planner, meaning.operator, left, { value, type })
      default:
        return planCast(planner, value, left, type)
    }
  })
  return { kind: 'and', operands }
}

function planComparison(
  planner: Planner,
  operator: OperatorName,
  left: Scalar,
  { value, type }: { value: Input; type: PgType },
): Predicate {
  const takes: OperandKind = OPERATORS[operator].operandKind
  return {
    kind: 'compare',
    operator,
    left,
    right: planOperand(planner, value, takes, type),
  }
}

/** Plans the right operand. Null is rejected, except by `_has_key`: with null, `_has_key` is true for no row. */
function planOperand(planner: Planner, input: Input, takes: OperandKind, left: PgType): Scalar {
  const type = operandType(takes, left)
  if (takes === 'list' && left.element !== null) return listComparand(planner, input, type, type)
  if (takes === 'jsonpath')
    return { kind: 'cast', of: comparand(planner, input, builtInType('text')), type }
  if (isListOperand(takes)) return listComparand(planner, input, type)
  return takes === 'text' ? nullableScalar(planner, input, type) : comparand(planner, input, type)
}

function planCast(planner: Planner, input: Input, left: Scalar, from: PgType): Predicate {
  const type = requireValue(castTarget(from), 'the type of a cast')
  const operands = readMembers(planner, input, ({ value }) =>
    planComparisons(planner, value, { kind: 'cast', of: left, type }, type),
  )
  return { kind: 'and', operands }
}

/** Plans a condition on an aggregate over the related rows that the role may see. */
function relationshipAggregateFilter(
  planner: Planner,
  input: Input,
  relationship: Relationship,
): Predicate {
  const [predicate, second] = readMembers(planner, input, ({ field: { meaning }, value }) =>
    planAggregatePredicate(
      planner,
      value,
      relationship,
      meaning.kind === 'aggregateFunction' ? meaning.function : 'count',
    ),
  )
  if (!predicate || second)
    throw validationError(input.path, 'exactly one predicate should be specified')
  return predicate
}

function planAggregatePredicate(
  planner: Planner,
  input: Input,
  relationship: Relationship,
  name: string,
): Predicate {
  planner.notes.countSubquery()
  const { remote } = relationship
  const permission = selectPermission(planner, remote, input.path)
  const member = objectMember(planner, input)
  const call: AggregateCall = {
    function: name,
    arguments: aggregateArguments(planner, member('arguments'), remote),
    distinct: readFlag(planner, member('distinct'), false),
    filter: null,
  }
  const filter = member('filter')
  const where: Predicate = {
    kind: 'and',
    operands: [
      permission.filter,
      filter.kind === 'absent' ? TRUE : planFilter(planner, filter, remote),
    ],
  }
  const rows = { from: { kind: 'table', table: remote }, where, ...UNBOUNDED } as const
  const left: Scalar = { kind: 'aggregate', rows, join: relationshipJoin(relationship), call }
  return planComparisons(
    planner,
    member('predicate'),
    left,
    builtInType(ownValue(PREDICATE_AGGREGATES, name)?.of ?? 'int4'),
  )
}

/** Plans the columns that an aggregate function gets as arguments. */
function aggregateArguments(planner: Planner, input: Input, table: Table): Scalar[] | null {
  if (input.kind === 'absent') return null
  const columns = readColumns(planner, input, (item) =>
    columnScalar(planner, table, columnByEnum(planner, item, table)),
  )
  return columns.length > 0 ? columns : null
}

/**
 * Reads the columns that the request names: a single column, several for `count`, or X and Y. Returns Y before X,
 * because SQL's functions take them in this order.
 */
function readColumns<T>(planner: Planner, input: Input, read: (item: Input) => T): T[] {
  const { kind } = nullableType(input.type)
  if (kind === 'list') return readItems(planner, input, read)
  if (kind !== 'input') return [read(input)]
  const member = objectMember(planner, input)
  const [x, y] = [read(member('X')), read(member('Y'))]
  return [y, x]
}
