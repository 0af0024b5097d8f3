import { Group, Stack, Text, Title } from '@mantine/core'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { DeleteAccountDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'

export function DeleteAccount() {
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Delete your account
      </Title>
      <Text c="dimmed">
        Teams where you are the only member are deleted too. Their apps stop working.
      </Text>
      <Group>
        <ConfirmChange
          label="Delete my account"
          title="Delete your account?"
          consequences="This cannot be undone. Teams where you are the only member are deleted too. Their apps stop working, and their counts can no longer be read."
          asksPassword
          toast="Account deleted."
          change={(password, signal) => request(DeleteAccountDocument, { password }, signal)}
          endsLogin
          button={{ variant: 'outline', color: 'red' }}
        />
      </Group>
    </Stack>
  )
}
