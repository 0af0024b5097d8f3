import { Group, Stack, Text, Title } from '@mantine/core'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { DeleteAccountDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useAccount } from '../../session/account.tsx'

/** The end of an account. */
export function DeleteAccount() {
  const { email } = useAccount()
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Delete the account
      </Title>
      <Text c="dimmed">
        Teams in which nobody else is are deleted as well, with their apps and everything counted.
      </Text>
      <Group>
        <ConfirmChange
          label="Delete my account"
          title="Delete your account?"
          consequences="This cannot be undone. Teams that have only you are deleted with all their apps."
          typed={email}
          done="Your account is deleted."
          change={() => request(DeleteAccountDocument)}
          endsLogin
          button={{ variant: 'outline', color: 'red' }}
        />
      </Group>
    </Stack>
  )
}
