import type { Assignment, Predicate, Scalar } from '../../ir/ir.ts'
import type { Column, Table, UpdatePermission } from '../../model/model.ts'
import { builtIn, comparedAs } from '../../postgres/scalars.ts'
import { type Input, members } from '../document/input.ts'
import { comparand, listComparand, nullableScalar, storable } from '../document/leaf.ts'
import { invalid, type Planner } from '../planner.ts'

/** The condition for the row that `pk_columns` names. */
export function planKey(planner: Planner, input: Input, table: Table): Predicate {
  const all = members(planner, input).map(({ field, value }): Predicate => {
    const column = table.columns.get(field.name)
    if (!column) throw invalid(value.path, `field '${field.name}' not found`)
    return {
      kind: 'compare',
      operator: '_eq',
      left: columnOf(column),
      right: comparand(planner, value, comparedAs(column.type)),
    }
  })
  return { kind: 'and', all }
}

/** What an update sets: the operators given, then the permission's presets. */
export function planSet(
  planner: Planner,
  operators: readonly (readonly [string, Input])[],
  { presets }: UpdatePermission,
  path: string,
): Assignment[] {
  const given = operators.flatMap(([name, input]) => {
    const operator = OPERATORS[name]
    if (!operator || input.kind === 'absent') return []
    return members(planner, input).flatMap(({ field: { meaning }, value }) => {
      if (meaning.kind !== 'column') return []
      const { column } = meaning
      const operand = operator.takes(planner, value, column)
      return [
        {
          field: column.field,
          column: column.name,
          value: operator.set(columnOf(column), operand),
        },
      ]
    })
  })
  refuseTwice(
    given.map(({ field }) => field),
    path,
  )
  const preset = presets.map(({ column, value }) => ({ column: column.name, value }))
  return [...given.map(({ column, value }) => ({ column, value })), ...preset]
}

type Operator = {
  takes(planner: Planner, input: Input, column: Column): Scalar
  set(column: Scalar, operand: Scalar): Scalar
}

/** How each operator of an update changes a column. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  _set: { takes: storable, set: (_, operand) => operand },
  _inc: { takes: storable, set: (column, operand) => binary('+', column, operand) },
  _append: { takes: storable, set: (column, operand) => binary('||', column, operand) },
  _prepend: { takes: storable, set: (column, operand) => binary('||', operand, column) },
  _delete_key: {
    takes: (planner, input) => nullableScalar(planner, input, builtIn('text')),
    set: (column, operand) => binary('-', column, operand),
  },
  _delete_elem: {
    takes: (planner, input) => comparand(planner, input, builtIn('int4')),
    set: (column, operand) => binary('-', column, operand),
  },
  _delete_at_path: {
    takes: (planner, input) => listComparand(planner, input, builtIn('_text')),
    set: (column, operand) => binary('#-', column, operand),
  },
}

function binary(operator: '+' | '||' | '-' | '#-', left: Scalar, right: Scalar): Scalar {
  return { kind: 'binary', operator, left, right }
}

function columnOf({ name }: Column): Scalar {
  return { kind: 'column', name, of: 'row' }
}

function refuseTwice(fields: readonly string[], path: string): void {
  const twice = [...new Set(fields.filter((field, i) => fields.indexOf(field) !== i))]
  if (twice.length === 0) return
  const names = twice.map((field) => `'${field}'`).join(', ')
  throw invalid(path, `Column found in multiple operators: [${names}].`)
}
