import { z } from 'zod'
import { ChangeForm } from '../../components/change-form.tsx'
import { enteredPassword } from '../../components/entered-texts.ts'
import { PasswordField } from '../../components/password-field.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { ChangePasswordDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'

const Input = z.object({
  current_password: z.string().min(1, 'Enter your password.'),
  new_password: enteredPassword,
})

export function PasswordForm() {
  const form = useInputForm(Input, { current_password: '', new_password: '' })
  return (
    <ChangeForm
      form={form}
      change={(values) => request(ChangePasswordDocument, values)}
      label="Change password"
      toast="Password changed. Your other devices are logged out."
      onDone={() => form.reset()}
    >
      <PasswordField
        label="Current password"
        autoComplete="current-password"
        {...form.getInputProps('current_password')}
      />
      <PasswordField
        label="New password"
        description="At least 8 characters. The change logs out your other devices."
        autoComplete="new-password"
        {...form.getInputProps('new_password')}
      />
    </ChangeForm>
  )
}
