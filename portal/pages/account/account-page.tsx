import { Divider, Stack } from '@mantine/core'
import { PageTitle } from '../../components/page-title.tsx'
import { AddressForm } from './address-form.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { LoginTable } from './login-table.tsx'
import { NameForm } from './name-form.tsx'
import { PasswordForm } from './password-form.tsx'

export function AccountPage() {
  return (
    <>
      <PageTitle title="Account" />
      <Stack gap="xl">
        <NameForm />
        <Divider />
        <AddressForm />
        <Divider />
        <PasswordForm />
        <Divider />
        <LoginTable />
        <Divider />
        <DeleteAccount />
      </Stack>
    </>
  )
}
