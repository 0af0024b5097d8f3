import { Button, Center, Group, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useRouteError } from 'react-router'
import { PageTitle } from '../components/page-title.tsx'
import { isMissingFile } from './missing-file.ts'

/** Shown in place of a page that fails. The layout with the navigation stays. */
export function PageFailure() {
  const error = useRouteError()
  const isMissing = isMissingFile(error)
  useEffect(() => {
    if (!isMissing) return
    const reload = () => location.reload()
    window.addEventListener('online', reload)
    return () => window.removeEventListener('online', reload)
  }, [isMissing])
  return (
    <Stack align="flex-start" maw="36rem">
      <PageTitle title="This page cannot be shown" />
      <Text>{isMissing ? explainMissingFile() : FAULT}</Text>
      <Group>
        <Button onClick={() => location.reload()}>Reload the page</Button>
      </Group>
    </Stack>
  )
}

/** Shown in place of the portal if a layout fails. */
export function PortalFailure() {
  return (
    <Center component="main" mih="100vh" p="md">
      <PageFailure />
    </Center>
  )
}

const FAULT =
  'The portal made a mistake. Reload the page. If that does not help, tell your operator.'

function explainMissingFile(): string {
  return navigator.onLine
    ? 'The files of this page could not be loaded. Check your connection, then reload the page.'
    : 'You are offline. The page is loaded as soon as you are online again.'
}
