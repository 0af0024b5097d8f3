import { Button, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { z } from 'zod'
import { enteredName } from '../../components/entered-texts.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { RowForm } from '../../components/row-form/row-form.tsx'
import { useRowForm } from '../../components/row-form/use-row-form.ts'
import { RenameKeyDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'

type Key = { id: string; name: string }

const Input = z.object({ name: enteredName }).partial()

export function RenameKeyButton({ id, name }: Key) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" onClick={open}>
        Rename
      </Button>
      <FormDialog isOpen={isOpen} onClose={close} title={`Rename ${name}`}>
        <RenameForm id={id} name={name} onDone={close} />
      </FormDialog>
    </>
  )
}

function RenameForm({ id, name, onDone }: Key & { onDone(): void }) {
  const rowForm = useRowForm({ row: { name }, toValues: (row) => row, schema: Input })
  return (
    <RowForm
      rowForm={rowForm}
      words={{ name: { label: 'Name' } }}
      update={async ({ set, where }) => {
        const { update_api_key: outcome } = await request(RenameKeyDocument, { id, set, where })
        return outcome?.affected_rows ?? 0
      }}
      label="Rename"
      toast="Key renamed."
      onDone={onDone}
    >
      <TextInput label="Name" data-autofocus {...rowForm.form.getInputProps('name')} />
    </RowForm>
  )
}
