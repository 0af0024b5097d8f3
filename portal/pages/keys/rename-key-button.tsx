import { Button, Modal, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { z } from 'zod'
import { displayName } from '../../../webhooks/route/input-text.ts'
import { ChangeForm } from '../../components/change-form.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { ChangeKeyDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'

export function RenameKeyButton({ id, name }: { id: string; name: string }) {
  const [isOpen, { open, close }] = useDisclosure()
  const form = useInputForm(z.object({ name: displayName }), { name })
  return (
    <>
      <Button variant="default" onClick={open}>
        Rename
      </Button>
      <Modal opened={isOpen} onClose={close} title={`Rename ${name}`}>
        <ChangeForm
          form={form}
          change={(set) => request(ChangeKeyDocument, { id, set })}
          label="Rename"
          toast="Key renamed."
          onDone={close}
        >
          <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
        </ChangeForm>
      </Modal>
    </>
  )
}
