/** The value that a condition requires of a column. */
type Comparison<Value> = { _eq: NonNullable<Value> } | { _is_null: true }

/** A condition that columns of a row still have the values that they had when the form was opened. */
export type Unchanged<Row> = { [Column in keyof Row]?: Comparison<Row[Column]> }

/** Returns the names of an object's fields. */
export function fieldsOf<Fields extends object>(fields: Fields): (keyof Fields & string)[] {
  return Object.keys(fields).filter((name): name is keyof Fields & string => name in fields)
}

/** Returns whether two values of a field are the same. */
export function isSame(value: unknown, other: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(other)
}

/** Returns the names of the fields with different values. */
export function differences<Fields extends object>(fields: Fields, others: Fields) {
  return fieldsOf(fields).filter((name) => !isSame(fields[name], others[name]))
}

/** Returns some fields of an object. */
export function pickFields<Fields extends object>(
  fields: Fields,
  names: readonly (keyof NoInfer<Fields>)[],
): Partial<Fields> {
  const picked: Partial<Fields> = {}
  for (const name of names) picked[name] = fields[name]
  return picked
}

/** Returns the condition that these columns still have the values of `row`. */
export function requireUnchanged<Row extends object>(
  row: Row,
  columns: readonly (keyof Row)[],
): Unchanged<Row> {
  const condition: Unchanged<Row> = {}
  for (const column of columns) addComparison(condition, row, column)
  return condition
}

function addComparison<Row, Column extends keyof Row>(
  condition: Unchanged<Row>,
  row: Row,
  column: Column,
) {
  const value = row[column]
  condition[column] = value === null || value === undefined ? { _is_null: true } : { _eq: value }
}
