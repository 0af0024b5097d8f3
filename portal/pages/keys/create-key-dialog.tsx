import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { z } from 'zod'
import { ChangeForm } from '../../components/change-form.tsx'
import { enteredName } from '../../components/entered-texts.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SecretDialog } from '../../components/secret-shown-once.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { CreateKeyDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useTeam } from '../../team/current-team.tsx'

/** Creates a key and shows it once. */
export function CreateKeyDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const { id: team_id } = useTeam()
  const [key, setKey] = useState<string | null>(null)
  const form = useInputForm(z.object({ name: enteredName }), { name: '' })
  const close = () => {
    setKey(null)
    form.reset()
    onClose()
  }
  return (
    <>
      <FormDialog isOpen={isOpen && key === null} onClose={close} title="Create a key">
        <ChangeForm
          form={form}
          change={({ name }) => request(CreateKeyDocument, { team_id, name })}
          label="Create the key"
          onDone={({ create_api_key: { api_key } }) => setKey(api_key)}
        >
          <TextInput
            label="Name"
            description="Say where you use the key, so that you can find it later."
            placeholder="Production server"
            data-autofocus
            {...form.getInputProps('name')}
          />
        </ChangeForm>
      </FormDialog>
      <SecretDialog title="Your new key" secret={key} label="key" onClose={close} />
    </>
  )
}
