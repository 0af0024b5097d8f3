import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { RequestError } from '../../graphql/request-error.ts'
import { ChangeForm } from '../change-form.tsx'
import { ConflictList } from './conflict-list.tsx'
import type { FieldWords } from './field-words.ts'
import type { RowChange, RowForm as RowFormState } from './use-row-form.ts'

type RowFormProps<Values extends Record<string, unknown>, Row, Columns> = {
  rowForm: RowFormState<Values, Row, Columns>
  /** Names and describes the fields, for a conflict with another user. */
  words: FieldWords<Values>
  /** Changes the row if the condition holds; returns the number of changed rows. */
  update(change: RowChange<Row, Columns>): Promise<number>
  label: string
  toast: string
  onDone?(): unknown
  children: ReactNode
}

/**
 * A form that changes a stored row. If another user has changed the same field, the form shows both values, and the user
 * chooses.
 */
export function RowForm<Values extends Record<string, unknown>, Row, Columns extends object>({
  rowForm,
  words,
  update,
  children,
  ...outcome
}: RowFormProps<Values, Row, Columns>) {
  const { form, isChanged, conflicts, recordSaved } = rowForm
  const queryClient = useQueryClient()
  const save = async (change: RowChange<Row, Columns>) => {
    if (Object.keys(change.set).length === 0) return
    if (conflicts.length > 0 || (await update(change)) === 0) {
      await queryClient.invalidateQueries()
      throw new RequestError(NOT_SAVED, { code: 'conflict' })
    }
    recordSaved(change.set)
  }
  return (
    <ChangeForm
      form={form}
      change={save}
      isUnsaved={isChanged}
      isExplained={conflicts.length > 0}
      notice={<ConflictList rowForm={rowForm} words={words} />}
      {...outcome}
    >
      {children}
    </ChangeForm>
  )
}

const NOT_SAVED =
  'Nothing is saved yet. Another user has changed something in the meantime. Look at the values, then save again.'
