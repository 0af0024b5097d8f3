import { Button, Center, Stack, Text, Title } from '@mantine/core'
import { useRouteError } from 'react-router'

/** Shown when a page fails, for example when its code no longer exists after an update of the portal. */
export function PageFailure() {
  const error = useRouteError()
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack align="center" ta="center" maw="28rem">
        <Title order={1} size="h2">
          This page cannot be shown
        </Title>
        <Text c="dimmed">{error instanceof Error ? error.message : 'Something went wrong.'}</Text>
        <Button onClick={() => location.reload()}>Reload the page</Button>
      </Stack>
    </Center>
  )
}
