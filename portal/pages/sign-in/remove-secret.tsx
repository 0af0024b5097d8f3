import { Text } from '@mantine/core'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { RemoveClientSecretDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useApp } from '../../team/current-app.tsx'
import { useSignInClient } from './client.ts'

/** A button that makes the app a public client, for a website or an app that cannot keep a secret. */
export function RemoveSecret() {
  const { id: app_id } = useApp()
  const { data: client } = useSignInClient()
  if (!client || client.isPublic) return null
  return (
    <ConfirmChange
      label="Use without a secret"
      title="Use this app without a secret?"
      consequences="A single-page or mobile app cannot keep a secret: it uses PKCE instead. The current secret stops working at once. Servers that use it can no longer sign people in."
      toast="Secret removed."
      change={(_, signal) => request(RemoveClientSecretDocument, { app_id }, signal)}
    />
  )
}

/** Says which kind of client the app is. */
export function ClientKind() {
  const { data: client } = useSignInClient()
  if (!client) return null
  return (
    <Text c="dimmed">
      {client.isPublic
        ? 'This app is a public client: it has no secret, and must use PKCE. If you make a secret, every program that signs people in needs it.'
        : 'The server of your website uses the secret. A single-page or mobile app has no server, so use it without a secret, with PKCE.'}
    </Text>
  )
}
