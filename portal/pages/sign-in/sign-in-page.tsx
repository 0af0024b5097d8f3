import { Group, Stack, Table, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { SecretDialog } from '../../components/secret-shown-once.tsx'
import { ResetClientSecretDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { settings } from '../../settings/settings.ts'
import { ApiPanel } from '../../team/api-panel.tsx'
import { signInRequest } from '../../team/api-requests.ts'
import { useApp, useMayChangeApp } from '../../team/current-app.tsx'
import { useAllowed } from '../../team/current-team.tsx'
import { ClientTypes } from './client-types.tsx'
import { LibraryChoice } from './library-choice.tsx'
import { Redirects } from './redirects.tsx'
import { ClientKind, RemoveSecret } from './remove-secret.tsx'

/** The page for sign-in to an app with OpenID Connect. */
export function SignInPage() {
  const { id } = useApp()
  return (
    <>
      <PageTitle
        title="Sign-in"
        about="People sign in to your website as unique persons with OpenID Connect."
      />
      <Stack gap="xl">
        <Table layout="fixed" variant="vertical">
          <Table.Tbody>
            <Table.Tr>
              <Table.Th w={{ base: 130, sm: 160 }}>Discovery URL</Table.Th>
              <Table.Td>
                <Copyable
                  text={`${settings.authUrl}/.well-known/openid-configuration`}
                  label="discovery URL"
                />
              </Table.Td>
            </Table.Tr>
            <Table.Tr>
              <Table.Th>Issuer</Table.Th>
              <Table.Td>
                <Copyable text={settings.authUrl} label="issuer" />
              </Table.Td>
            </Table.Tr>
            <Table.Tr>
              <Table.Th>Client id</Table.Th>
              <Table.Td>
                <Copyable text={id} label="client id" />
              </Table.Td>
            </Table.Tr>
          </Table.Tbody>
        </Table>
        <ClientSecret />
        <Redirects />
        <LibraryChoice />
        <ClientTypes />
        <ApiPanel
          about="This request reads the sign-in settings of your app."
          query={signInRequest(id)}
        />
      </Stack>
    </>
  )
}

function ClientSecret() {
  const { id: app_id } = useApp()
  const mayChange = useMayChangeApp()
  const mayUsually = useAllowed('changeApp')
  const [secret, setSecret] = useState<string | null>(null)
  return (
    // Reserves the height of the words and buttons that follow when the client is read.
    <Stack component="section" gap="xs" mih={{ base: 232, sm: 124 }}>
      <Title order={2} size="h4">
        Client secret
      </Title>
      <ClientKind />
      {mayChange ? (
        <Group>
          <ConfirmChange
            label="Make a new secret"
            title="Make a new client secret?"
            consequences="The current secret stops working at once. Sign-in fails until your website uses the new secret."
            toast="New secret created."
            change={(_, signal) => request(ResetClientSecretDocument, { app_id }, signal)}
            onDone={({ reset_client_secret: { client_secret } }) => setSecret(client_secret)}
          />
          <RemoveSecret />
        </Group>
      ) : (
        <Text c="dimmed">
          {mayUsually
            ? 'This app is archived. Only an owner can make a new secret.'
            : 'Only owners and admins can make a new secret.'}
        </Text>
      )}
      <SecretDialog
        title="The new client secret"
        secret={secret}
        label="client secret"
        onClose={() => setSecret(null)}
      />
    </Stack>
  )
}
