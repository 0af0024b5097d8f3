import { Button, Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { z } from 'zod'
import { displayName } from '../../../webhooks/route/input-text.ts'
import { ChangeForm } from '../../components/change-form.tsx'
import { SecretShownOnce } from '../../components/secret-shown-once.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { CreateKeyDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useTeam } from '../../team/current-team.tsx'

/** Creates a key and shows it once. */
export function CreateKeyDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const { id: team_id } = useTeam()
  const [key, setKey] = useState<string | null>(null)
  const form = useInputForm(z.object({ name: displayName }), { name: '' })
  const close = () => {
    setKey(null)
    form.reset()
    onClose()
  }
  return (
    <Modal opened={isOpen} onClose={close} title={key === null ? 'Create a key' : 'Your new key'}>
      {key === null ? (
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
      ) : (
        <Stack>
          <SecretShownOnce secret={key} label="key" />
          <Button onClick={close}>I have copied it</Button>
        </Stack>
      )}
    </Modal>
  )
}
