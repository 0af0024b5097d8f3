import { Button, Center, Stack, Text, Title } from '@mantine/core'
import { useRouteError } from 'react-router'

/** What a person sees when a page itself fails: one that could not be loaded, say, since the portal was updated meanwhile. */
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
