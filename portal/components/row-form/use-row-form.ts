import { schemaResolver, useForm } from '@mantine/form'
import { useEffect, useEffectEvent, useState } from 'react'
import type { z } from 'zod'
import type { InputForm } from '../use-input-form.ts'
import {
  differences,
  fieldsOf,
  isSame,
  pickFields,
  requireUnchanged,
  type Unchanged,
} from './row-changes.ts'

/** The columns that the user changed, and the condition that no other user has changed them. */
export type RowChange<Row, Columns> = { set: Columns; where: Unchanged<Row> }

/** Some of the fields of an object, as a partial schema parses them. */
type Some<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined }

type FieldName<Values> = keyof Values & string

/** The state of a form that changes a stored row. */
export type RowForm<Values extends Record<string, unknown>, Row, Columns> = {
  form: InputForm<Values, RowChange<Row, Columns>>
  /** True if the user has changed a field. */
  isChanged: boolean
  /** The changed fields that another user has changed as well. */
  conflicts: readonly FieldName<Values>[]
  /** The values of the fields in the row as it is stored now. */
  stored: Values
  /** Lets the form replace the other user's value of a field. */
  keepMine(name: FieldName<Values>): void
  /** Puts the other user's value into the field. */
  takeTheirs(name: FieldName<Values>): void
  /** Records that these columns are stored now. */
  recordSaved(columns: Columns): void
}

type RowFormOptions<Values extends Record<string, unknown>, Row, Columns> = {
  /** The row as it is stored now, with a column for each field. */
  row: Row
  /** Returns the values of the fields for a row. */
  toValues(row: Row): Values
  /** Parses changed fields to columns. */
  schema: z.ZodType<Columns, Some<Values>>
  /** Returns the values to store, for fields that depend on other fields. */
  derive?(values: Values): Values
}

/**
 * Returns the state of a form that changes a stored row. The form validates and submits only the fields that the user has
 * changed. The other fields follow the stored row.
 */
export function useRowForm<
  Values extends Record<string, unknown>,
  Row extends { [Name in keyof Values]: unknown },
  Columns extends Some<Row>,
>(options: RowFormOptions<Values, Row, Columns>): RowForm<Values, Row, Columns> {
  const { row, toValues, derive = (values) => values } = options
  /** The row to which the user's changes belong. */
  const [base, setBase] = useState(row)
  const changedFields = (values: Values) => differences(derive(values), toValues(base))
  const form = useChangesForm({ ...options, derive }, base, changedFields)
  const stored = toValues(row)
  const changed = changedFields(form.getValues())
  const isChangedByOthers = (name: FieldName<Values>) => !isSame(row[name], base[name])
  const isConflict = (name: FieldName<Values>) =>
    changed.includes(name) &&
    isChangedByOthers(name) &&
    !isSame(derive(form.getValues())[name], stored[name])
  const follow = (names: readonly FieldName<Values>[]) => {
    if (names.length === 0) return
    form.setValues(pickFields(stored, names))
    setBase({ ...base, ...pickFields(row, names) })
  }
  const followRow = useEffectEvent(() =>
    follow(fieldsOf(stored).filter((name) => isChangedByOthers(name) && !isConflict(name))),
  )
  const rowText = JSON.stringify(row)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the stored row changes
  useEffect(followRow, [rowText])
  return {
    form,
    isChanged: changed.length > 0,
    conflicts: changed.filter(isConflict),
    stored,
    keepMine: (name) => setBase({ ...base, ...pickFields(row, [name]) }),
    takeTheirs: (name) => follow([name]),
    recordSaved(columns) {
      const saved = { ...base, ...columns }
      setBase(saved)
      form.setValues(toValues(saved))
    },
  }
}

/** Returns a form that validates and submits only the changed fields. */
function useChangesForm<
  Values extends Record<string, unknown>,
  Row extends { [Name in keyof Values]: unknown },
  Columns,
>(
  { row, toValues, schema, derive }: Required<RowFormOptions<Values, Row, Columns>>,
  base: Row,
  changedFields: (values: Values) => FieldName<Values>[],
): InputForm<Values, RowChange<Row, Columns>> {
  return useForm<Values, RowChange<Row, Columns>>({
    initialValues: toValues(row),
    validate: (values) =>
      schemaResolver(schema, { sync: true })(pickFields(derive(values), changedFields(values))),
    transformValues(values) {
      const names = changedFields(values)
      const set = schema.parse(pickFields(derive(values), names))
      return { set, where: requireUnchanged(base, names) }
    },
  })
}
