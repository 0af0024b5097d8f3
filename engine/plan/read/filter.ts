import { type Fold, type Predicate, type Scalar, TRUE } from '../../ir/ir.ts'
import { own } from '../../json/own.ts'
import type { ComputedField, Relationship, Table } from '../../model/model.ts'
import { callOf } from '../../model/tables/call.ts'
import type { PgType } from '../../postgres/catalog.ts'
import type { OperatorName, Takes } from '../../postgres/operators.ts'
import { OPERATORS, operandType, takesList } from '../../postgres/operators.ts'
import { builtIn } from '../../postgres/scalars.ts'
import { PREDICATES } from '../../schema/types/folds.ts'
import {
  enumName,
  type Input,
  isGiven,
  items,
  type Member,
  members,
  nullable,
} from '../document/input.ts'
import { comparand, flag, listComparand, nullableScalar } from '../document/leaf.ts'
import { invalid, type Planner } from '../planner.ts'
import { columnScalar, joinOf, masked, permitted } from './access.ts'

/** Plans `where`. Conditions on related rows only see rows that the role may see. */
export function planFilter(planner: Planner, input: Input, table: Table): Predicate {
  const all = members(planner, input).map((member) => planMember(planner, member, table))
  return { kind: 'and', all }
}

/** Plans `where` in a place where it is optional. */
export function planOptionalFilter(planner: Planner, input: Input, table: Table): Predicate {
  return isGiven(planner, input) ? planFilter(planner, input, table) : TRUE
}

function planMember(planner: Planner, { field, value }: Member, table: Table): Predicate {
  const { meaning } = field
  switch (meaning.kind) {
    case 'and':
      return {
        kind: 'and',
        all: items(planner, value).map((item) => planFilter(planner, item, table)),
      }
    case 'or':
      return {
        kind: 'or',
        any: items(planner, value).map((item) => planFilter(planner, item, table)),
      }
    case 'not':
      return { kind: 'not', of: planFilter(planner, value, table) }
    case 'column':
      return comparisons(
        planner,
        value,
        columnScalar(planner, table, meaning.column),
        meaning.column.type,
      )
    case 'relationship':
      return related(planner, value, meaning.relationship)
    case 'relationshipAggregate':
      return relatedAggregate(planner, value, meaning.relationship)
    case 'computedField':
      return computed(planner, value, table, meaning.field)
    default:
      throw invalid(value.path, `field '${field.name}' cannot be compared`)
  }
}

function related(planner: Planner, input: Input, relationship: Relationship): Predicate {
  const { remote } = relationship
  const where = planFilter(planner, input, remote)
  return {
    kind: 'exists',
    from: { kind: 'table', table: remote },
    join: joinOf(relationship),
    where: { kind: 'and', all: [permitted(planner, remote, input.path).filter, where] },
  }
}

function computed(planner: Planner, input: Input, table: Table, field: ComputedField): Predicate {
  const call = callOf(field, new Map())
  const { returns } = field
  if (returns.kind === 'scalar') {
    const mask = permitted(planner, table, input.path).computedFields.get(field)
    return comparisons(planner, input, masked({ kind: 'call', call }, mask), returns.type)
  }
  const { filter } = permitted(planner, returns.table, input.path)
  const where = planFilter(planner, input, returns.table)
  return {
    kind: 'exists',
    from: { kind: 'function', call },
    join: [],
    where: { kind: 'and', all: [filter, where] },
  }
}

function comparisons(planner: Planner, input: Input, left: Scalar, type: PgType): Predicate {
  const all = members(planner, input).map(({ field: { meaning }, value }): Predicate => {
    switch (meaning.kind) {
      case 'isNull':
        return { kind: 'null', of: left, isNull: flag(planner, value) }
      case 'operator':
        return compare(planner, meaning.operator, left, { value, type })
      default:
        return cast(planner, value, left)
    }
  })
  return { kind: 'and', all }
}

function compare(
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
    right: operand(takes)(planner, value, operandType(takes, type)),
  }
}

/** How an operand is read. Null is refused, except by `_has_key`: no document has the key null. */
function operand(takes: Takes): typeof comparand {
  if (takesList(takes)) return listComparand
  return takes === 'text' ? nullableScalar : comparand
}

function cast(planner: Planner, input: Input, left: Scalar): Predicate {
  const type = builtIn('text')
  const all = members(planner, input).map(({ value }) =>
    comparisons(planner, value, { kind: 'cast', of: left, type }, type),
  )
  return { kind: 'and', all }
}

/** A condition on an aggregate over the related rows that the role may see. */
function relatedAggregate(planner: Planner, input: Input, relationship: Relationship): Predicate {
  const [only, second] = members(planner, input)
  if (!only || second) throw invalid(input.path, 'exactly one predicate should be specified')
  const { meaning } = only.field
  const name = meaning.kind === 'fold' ? meaning.function : 'count'
  return aggregatePredicate(planner, only.value, relationship, name)
}

function aggregatePredicate(
  planner: Planner,
  input: Input,
  relationship: Relationship,
  name: string,
): Predicate {
  const { remote } = relationship
  const permission = permitted(planner, remote, input.path)
  const given = new Map(members(planner, input).map(({ field, value }) => [field.name, value]))
  const predicate = given.get('predicate')
  if (!predicate) throw invalid(input.path, "missing required field 'predicate'")
  const filter = given.get('filter')
  const fold: Fold = {
    function: name,
    arguments: foldArguments(planner, given.get('arguments'), remote),
    distinct: flag(planner, given.get('distinct') ?? { ...input, kind: 'absent' }, false),
    filter: null,
  }
  const where: Predicate = {
    kind: 'and',
    all: [permission.filter, filter ? planOptionalFilter(planner, filter, remote) : TRUE],
  }
  const rows = { from: { kind: 'table', table: remote }, where, ...UNBOUNDED } as const
  const left: Scalar = { kind: 'fold', rows, join: joinOf(relationship), fold }
  return comparisons(planner, predicate, left, builtIn(own(PREDICATES, name)?.of ?? 'int8'))
}

const UNBOUNDED = { order: [], distinctOn: [], limit: null, offset: null, cap: null } as const

/** The columns that an aggregate function is applied to. */
function foldArguments(planner: Planner, input: Input | undefined, table: Table): Scalar[] {
  if (!input || !isGiven(planner, input)) return []
  return columnInputs(planner, input).flatMap((item) => {
    const column = table.columns.get(enumName(planner, item))
    return column ? [columnScalar(planner, table, column)] : []
  })
}

/** The columns that are named: one, several for `count`, or Y and X, in SQL's order. */
function columnInputs(planner: Planner, input: Input): readonly Input[] {
  const { kind } = nullable(input.type)
  if (kind === 'list') return items(planner, input)
  if (kind !== 'input') return [input]
  const given = members(planner, input)
  return ['Y', 'X'].flatMap((name) => given.find(({ field }) => field.name === name)?.value ?? [])
}
