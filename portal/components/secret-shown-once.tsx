import { Alert, Stack, Text } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import { Copyable } from './copyable.tsx'

/** Shows a secret that the platform does not store and cannot show again. */
export function SecretShownOnce({ secret, label }: { secret: string; label: string }) {
  return (
    <Alert icon={<KeyRound aria-hidden />} title={`Copy the ${label} now`} role="status">
      <Stack gap="xs">
        <Copyable text={secret} label={label} />
        <Text size="sm">
          You cannot see it again later. Keep it on your server, never in a web page or a
          repository.
        </Text>
      </Stack>
    </Alert>
  )
}
