import { TextInput } from '@mantine/core'
import { z } from 'zod'
import { displayName } from '../../../webhooks/route/input-text.ts'
import { ChangeForm } from '../../components/change-form.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { RenameDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useAccount } from '../../session/account.tsx'

export function NameForm() {
  const { id, name } = useAccount()
  const form = useInputForm(z.object({ name: displayName }), { name })
  return (
    <ChangeForm
      form={form}
      change={(values) => request(RenameDocument, { id, ...values })}
      label="Save"
      toast="Name changed."
    >
      <TextInput
        label="Name"
        description="The members of your teams see this name."
        autoComplete="name"
        {...form.getInputProps('name')}
      />
    </ChangeForm>
  )
}
