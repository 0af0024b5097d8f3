import { Button, Code, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { ChangeForm } from '../../components/change-form.tsx'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { AddRedirectDocument, RemoveRedirectDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { settings } from '../../settings/settings.ts'
import { useApp, useMayChangeApp } from '../../team/current-app.tsx'
import { redirectsQuery } from './redirects-query.ts'

/** Lists, adds and removes the app's redirect URIs. */
export function Redirects() {
  const { id: app_id } = useApp()
  const mayChange = useMayChangeApp()
  const query = useQuery(redirectsQuery(app_id))
  return (
    <Stack component="section">
      <Title order={2} size="h4">
        Redirect URIs
      </Title>
      <Text c="dimmed">
        After signing in, people return to one of these addresses of your website. Your website must
        use the exact address.
      </Text>
      <Loaded query={query} lines={2}>
        {(redirects) =>
          redirects.map(({ id, redirect_uri }) => (
            <Group key={id} justify="space-between">
              <Code style={{ overflowWrap: 'anywhere' }}>{redirect_uri}</Code>
              <Group wrap="nowrap" ml="auto">
                <Button
                  component="a"
                  href={testUrl(app_id, redirect_uri)}
                  target="_blank"
                  rel="noopener"
                  variant="subtle"
                >
                  Test sign-in
                </Button>
                {mayChange && (
                  <ConfirmChange
                    label="Remove"
                    title="Remove this redirect URI?"
                    consequences={`People can no longer return to ${redirect_uri}.`}
                    toast="Redirect URI removed."
                    change={(_, signal) => request(RemoveRedirectDocument, { id }, signal)}
                  />
                )}
              </Group>
            </Group>
          ))
        }
      </Loaded>
      {mayChange && <AddRedirectForm />}
    </Stack>
  )
}

/** Returns the address that starts a sign-in as a website does. The person returns to the website with a code. */
function testUrl(clientId: string, redirectUri: string): string {
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid',
    state: crypto.randomUUID(),
    nonce: crypto.randomUUID(),
  })
  return `${settings.authUrl}/authorize?${parameters}`
}

const Input = z.object({
  redirect_uri: z
    .url({ error: 'Enter a full address, such as the example.' })
    .max(2048, 'Enter at most 2,048 characters.'),
})

function AddRedirectForm() {
  const { id: app_id, is_staging } = useApp()
  // Only a platform on this machine accepts redirects to localhost, and only for staging apps.
  const mayBeLocal = is_staging && window.location.hostname === 'localhost'
  const form = useInputForm(Input, { redirect_uri: '' })
  return (
    <ChangeForm
      form={form}
      change={(values) => request(AddRedirectDocument, { app_id, ...values })}
      label="Add"
      toast="Redirect URI added."
      onDone={() => form.reset()}
    >
      <TextInput
        label="Add a redirect URI"
        placeholder={mayBeLocal ? 'http://localhost:4000/callback' : 'https://example.com/callback'}
        type="url"
        {...form.getInputProps('redirect_uri')}
      />
    </ChangeForm>
  )
}
