import { TextInput } from '@mantine/core'
import { z } from 'zod'
import { ChangeForm } from '../../components/change-form.tsx'
import { enteredEmail } from '../../components/entered-texts.ts'
import { PasswordField } from '../../components/password-field.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { ChangeEmailDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useAccount } from '../../session/account.tsx'

const Input = z.object({ email: enteredEmail, password: z.string().min(1, 'Enter your password.') })

/** Starts a change of the user's e-mail address. */
export function AddressForm() {
  const { email } = useAccount()
  const form = useInputForm(Input, { email: '', password: '' })
  return (
    <ChangeForm
      form={form}
      change={(values) => request(ChangeEmailDocument, values)}
      label="Change address"
      toast="Open the links in both mailboxes within an hour."
      onDone={() => form.reset()}
    >
      <TextInput
        label="New e-mail address"
        description={`Your address is ${email}. We send a link to both addresses. It changes once you have confirmed the change with both links.`}
        type="email"
        autoComplete="email"
        {...form.getInputProps('email')}
      />
      <PasswordField
        label="Your password"
        autoComplete="current-password"
        {...form.getInputProps('password')}
      />
    </ChangeForm>
  )
}
