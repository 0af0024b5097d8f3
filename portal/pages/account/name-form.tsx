import { TextInput } from '@mantine/core'
import { z } from 'zod'
import { enteredName } from '../../components/entered-texts.ts'
import { RowForm } from '../../components/row-form/row-form.tsx'
import { useRowForm } from '../../components/row-form/use-row-form.ts'
import { RenameDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useAccount } from '../../session/account.tsx'

const Input = z.object({ name: enteredName }).partial()

export function NameForm() {
  const { id, name } = useAccount()
  const rowForm = useRowForm({ row: { name }, toValues: (row) => row, schema: Input })
  return (
    <RowForm
      rowForm={rowForm}
      words={{ name: { label: 'Name' } }}
      update={async ({ set, where }) => {
        const { update_user: outcome } = await request(RenameDocument, { id, set, where })
        return outcome?.affected_rows ?? 0
      }}
      label="Save"
      toast="Name changed."
    >
      <TextInput
        label="Name"
        description="The members of your teams see this name."
        autoComplete="name"
        {...rowForm.form.getInputProps('name')}
      />
    </RowForm>
  )
}
