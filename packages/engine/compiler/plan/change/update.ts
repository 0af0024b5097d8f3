import { validationError } from '../../../errors.ts'
import { builtInType, comparisonType } from '../../../postgres/scalars.ts'
import type { Assignment, Predicate, Scalar } from '../../ir/ir.ts'
import type { Column, SourceModel, Table, UpdatePermission } from '../../model/model.ts'
import { inHashOrder } from '../../schema/hash-order.ts'
import { type Input, readMembers } from '../document/input.ts'
import { comparand, listComparand, nullableScalar, storedScalar } from '../document/parameter.ts'
import type { Planner } from '../planner.ts'

/** Plans the condition for the row with the key `pk_columns`. */
export function planKeyColumns(planner: Planner, input: Input, table: Table): Predicate {
  const operands = readMembers(planner, input, ({ field, value }): Predicate => {
    const column = table.columns.get(field.name)
    if (!column) throw validationError(value.path, `field '${field.name}' not found`)
    return {
      kind: 'compare',
      operator: '_eq',
      left: currentValue(column),
      right: comparand(planner, value, comparisonType(column.type)),
    }
  })
  return { kind: 'and', operands }
}

/** Plans the assignments of an update: first the operators, then the permission's presets. */
export function planAssignments(
  planner: Planner,
  inputs: (name: string) => Input,
  { source: { naming }, presets }: { source: SourceModel } & Pick<UpdatePermission, 'presets'>,
  path: string,
): Assignment[] {
  const assignments = Object.entries(UPDATE_OPERATORS).flatMap(([name, operator]): Assignment[] => {
    const input = inputs(naming.field(name))
    if (input.kind === 'absent') return []
    const columnAssignments = readMembers(planner, input, ({ field: { meaning }, value }) => {
      if (meaning.kind !== 'column') return []
      const { column } = meaning
      const operand = operator.takes(planner, value, column)
      return [{ column: column.name, value: operator.set(currentValue(column), operand) }]
    })
    return columnAssignments.flat()
  })
  refuseColumnsTwice(
    assignments.map(({ column }) => column),
    path,
  )
  return [...assignments, ...presets.map(({ column, value }) => ({ column: column.name, value }))]
}

type Operator = {
  takes(planner: Planner, input: Input, column: Column): Scalar
  set(column: Scalar, operand: Scalar): Scalar
}

/**
 * For each operator of an update, the operand that it takes and the value that it sets. The order is the order in which
 * Hasura reads the operators.
 */
const UPDATE_OPERATORS: Readonly<Record<string, Operator>> = {
  _set: { takes: storedScalar, set: (_, operand) => operand },
  _inc: { takes: storedScalar, set: (column, operand) => binaryScalar('+', column, operand) },
  _prepend: { takes: storedScalar, set: (column, operand) => binaryScalar('||', operand, column) },
  _append: { takes: storedScalar, set: (column, operand) => binaryScalar('||', column, operand) },
  _delete_key: {
    takes: (planner, input) => nullableScalar(planner, input, builtInType('text')),
    set: (column, operand) => binaryScalar('-', column, operand),
  },
  _delete_elem: {
    takes: (planner, input) => comparand(planner, input, builtInType('int4')),
    set: (column, operand) => binaryScalar('-', column, operand),
  },
  _delete_at_path: {
    takes: (planner, input) => listComparand(planner, input, builtInType('_text')),
    set: (column, operand) => binaryScalar('#-', column, operand),
  },
}

function binaryScalar(operator: '+' | '||' | '-' | '#-', left: Scalar, right: Scalar): Scalar {
  return { kind: 'binary', operator, left, right }
}

function currentValue({ name }: Column): Scalar {
  return { kind: 'column', name, of: 'row' }
}

function refuseColumnsTwice(columns: readonly string[], path: string): void {
  const duplicates = new Set(columns.filter((column, i) => columns.indexOf(column) !== i))
  if (duplicates.size === 0) return
  const names = inHashOrder(duplicates, (column) => column)
    .map((column) => `'${column}'`)
    .join(', ')
  throw validationError(path, `Column found in multiple operators: [${names}].`)
}
