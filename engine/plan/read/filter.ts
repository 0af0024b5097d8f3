import { type AggregateCall, type Predicate, type Scalar, TRUE, UNBOUNDED } from '../../ir/ir.ts'
import { ownValue } from '../../json/own-value.ts'
import type { ComputedField, Relationship, Table } from '../../model/model.ts'
import { functionCall } from '../../model/tables/function-call.ts'
import type { PgType } from '../../postgres/catalog.ts'
import type { OperatorName, Takes } from '../../postgres/operators.ts'
import { OPERATORS, operandType, takesList } from '../../postgres/operators.ts'
import { builtInType } from '../../postgres/scalars.ts'
import { PREDICATE_AGGREGATES } from '../../schema/types/aggregate-functions.ts'
import {
  type Input,
  isGiven,
  listItems,
  nullableType,
  type ObjectMember,
  objectMembers,
} from '../document/input.ts'
import { comparand, listComparand, nullableScalar, readFlag } from '../document/parameter.ts'
import { type Planner, validationError } from '../planner.ts'
import {
  columnScalar,
  maskedScalar,
  namedColumn,
  relationshipJoin,
  selectPermission,
} from './access.ts'

/** Plans `where`. Conditions on related rows only see rows that the role may see. */
export function planFilter(planner: Planner, input: Input, table: Table): Predicate {
  const all = objectMembers(planner, input).map((member) => planMember(planner, member, table))
  return { kind: 'and', all }
}

/** Plans `where` in a place where it is optional. */
export function planOptionalFilter(planner: Planner, input: Input, table: Table): Predicate {
  return isGiven(planner, input) ? planFilter(planner, input, table) : TRUE
}

function planMember(planner: Planner, { field, value }: ObjectMember, table: Table): Predicate {
  const { meaning } = field
  switch (meaning.kind) {
    case 'and':
      return {
        kind: 'and',
        all: listItems(planner, value).map((item) => planFilter(planner, item, table)),
      }
    case 'or':
      return {
        kind: 'or',
        any: listItems(planner, value).map((item) => planFilter(planner, item, table)),
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
      return relatedFilter(planner, value, meaning.relationship)
    case 'relationshipAggregate':
      return relatedAggregateFilter(planner, value, meaning.relationship)
    case 'computedField':
      return computedFieldFilter(planner, value, table, meaning.field)
    default:
      throw validationError(value.path, `field '${field.name}' cannot be compared`)
  }
}

function relatedFilter(planner: Planner, input: Input, relationship: Relationship): Predicate {
  const { remote } = relationship
  const where = planFilter(planner, input, remote)
  return {
    kind: 'exists',
    from: { kind: 'table', table: remote },
    join: relationshipJoin(relationship),
    where: { kind: 'and', all: [selectPermission(planner, remote, input.path).filter, where] },
  }
}

function computedFieldFilter(
  planner: Planner,
  input: Input,
  table: Table,
  field: ComputedField,
): Predicate {
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
    where: { kind: 'and', all: [filter, where] },
  }
}

function planComparisons(planner: Planner, input: Input, left: Scalar, type: PgType): Predicate {
  const all = objectMembers(planner, input).map(({ field: { meaning }, value }): Predicate => {
    switch (meaning.kind) {
      case 'isNull':
        return { kind: 'null', of: left, isNull: readFlag(planner, value) }
      case 'operator':
        return planComparison(planner, meaning.operator, left, { value, type })
      default:
        return planCast(planner, value, left)
    }
  })
  return { kind: 'and', all }
}

function planComparison(
  planner: Planner,
  operator: OperatorName,
  left: Scalar,
  { value, type }: { value: Input; type: PgType },
): Predicate {
  const takes: Takes = OPERATORS[operator].takes
  return {
    kind: 'compare',
    operator,
    left,
    right: operandReader(takes)(planner, value, operandType(takes, type)),
  }
}

/** How an operand is read. Null is refused, except by `_has_key`: no document has the key null. */
function operandReader(takes: Takes): typeof comparand {
  if (takesList(takes)) return listComparand
  return takes === 'text' ? nullableScalar : comparand
}

function planCast(planner: Planner, input: Input, left: Scalar): Predicate {
  const type = builtInType('text')
  const all = objectMembers(planner, input).map(({ value }) =>
    planComparisons(planner, value, { kind: 'cast', of: left, type }, type),
  )
  return { kind: 'and', all }
}

/** A condition on an aggregate over the related rows that the role may see. */
function relatedAggregateFilter(
  planner: Planner,
  input: Input,
  relationship: Relationship,
): Predicate {
  const [only, second] = objectMembers(planner, input)
  if (!only || second)
    throw validationError(input.path, 'exactly one predicate should be specified')
  const { meaning } = only.field
  const name = meaning.kind === 'aggregateFunction' ? meaning.function : 'count'
  return planAggregatePredicate(planner, only.value, relationship, name)
}

function planAggregatePredicate(
  planner: Planner,
  input: Input,
  relationship: Relationship,
  name: string,
): Predicate {
  const { remote } = relationship
  const permission = selectPermission(planner, remote, input.path)
  const given = new Map(
    objectMembers(planner, input).map(({ field, value }) => [field.name, value]),
  )
  const predicate = given.get('predicate')
  if (!predicate) throw validationError(input.path, "missing required field 'predicate'")
  const filter = given.get('filter')
  const call: AggregateCall = {
    function: name,
    arguments: aggregateArguments(planner, given.get('arguments'), remote),
    distinct: readFlag(planner, given.get('distinct') ?? { ...input, kind: 'absent' }, false),
    filter: null,
  }
  const where: Predicate = {
    kind: 'and',
    all: [permission.filter, filter ? planOptionalFilter(planner, filter, remote) : TRUE],
  }
  const rows = { from: { kind: 'table', table: remote }, where, ...UNBOUNDED } as const
  const left: Scalar = { kind: 'aggregate', rows, join: relationshipJoin(relationship), call }
  return planComparisons(
    planner,
    predicate,
    left,
    builtInType(ownValue(PREDICATE_AGGREGATES, name)?.of ?? 'int8'),
  )
}

/** The columns that an aggregate function is applied to. */
function aggregateArguments(planner: Planner, input: Input | undefined, table: Table): Scalar[] {
  if (!input || !isGiven(planner, input)) return []
  return columnInputs(planner, input).map((item) =>
    columnScalar(planner, table, namedColumn(planner, item, table)),
  )
}

/** The columns that are named: one; several for `count`; or Y and X, which SQL takes in this order. */
function columnInputs(planner: Planner, input: Input): readonly Input[] {
  const { kind } = nullableType(input.type)
  if (kind === 'list') return listItems(planner, input)
  if (kind !== 'input') return [input]
  const given = objectMembers(planner, input)
  return ['Y', 'X'].flatMap((name) => given.find(({ field }) => field.name === name)?.value ?? [])
}
