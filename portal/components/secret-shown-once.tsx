import { Alert, Stack, Text } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import { Copyable } from './copyable.tsx'

/** Shows a secret that the platform does not store and cannot show again. */
export function SecretShownOnce({ secret, what }: { secret: string; what: string }) {
  return (
    <Alert icon={<KeyRound aria-hidden />} title={`Copy the ${what} now`} role="status">
      <Stack gap="xs">
        <Copyable text={secret} what={what} />
        <Text size="sm">
          You cannot see it again later. Keep it on your server, never in a web page or a
          repository.
        </Text>
      </Stack>
    </Alert>
  )
}
