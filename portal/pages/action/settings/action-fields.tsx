import { Switch, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ActionValues } from './action-input.ts'
import { LimitField } from './limit-field.tsx'
import { ProtocolFields } from './protocol-fields.tsx'

type ActionFieldsProps<Values extends ActionValues> = {
  form: Pick<UseFormReturnType<Values>, 'values' | 'getInputProps'>
}

/** The fields that a new action and a stored action have, below the name. */
export function ActionFields<Values extends ActionValues>({ form }: ActionFieldsProps<Values>) {
  const { values, getInputProps } = form
  return (
    <>
      <Textarea label="Description" autosize minRows={2} {...getInputProps('description')} />
      <LimitField {...getInputProps('max_verifications')} value={values.max_verifications} />
      <ProtocolFields form={form} />
      <TextInput
        label="Return address"
        description="Where the wallet sends a person after verifying."
        placeholder="https://example.com/done"
        type="url"
        {...getInputProps('return_url')}
      />
      <Switch
        label="Active"
        description="People can verify only while the action is active."
        {...getInputProps('status', { type: 'checkbox' })}
      />
    </>
  )
}
