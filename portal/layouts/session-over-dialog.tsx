import { Modal, Text } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { ChangeForm } from '../components/change-form.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { logIn } from '../session/session.ts'
import { useSessionOver } from '../session/session-over.ts'

/** A dialog over the page that asks for the password when the session has ended. The fields of the page keep their values. */
export function SessionOverDialog({ email }: { email: string }) {
  const isOver = useSessionOver()
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: isNotEmpty('Enter your password.') },
  })
  return (
    <Modal
      opened={isOver}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="You have been logged out"
    >
      <ChangeForm
        form={form}
        label="Log in"
        isUnsaved={false}
        change={({ password }) => logIn({ email, password })}
        onDone={() => {
          form.reset()
          // The errors of the requests without a login are no longer true.
          notifications.clean()
        }}
      >
        <Text>Your login has ended. Log in again to continue; your work is kept.</Text>
        <PasswordField
          label={`Password of ${email}`}
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
      </ChangeForm>
    </Modal>
  )
}
