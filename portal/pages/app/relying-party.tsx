import { Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Copyable } from '../../components/copyable.tsx'
import { Moment } from '../../components/moment.tsx'
import { requestKeyOf, useApp } from '../../team/current-app.tsx'
import { useAllowed } from '../../team/current-team.tsx'
import {
  CreateRequestKeyButton,
  PrivateKeyDialog,
  RotateRequestKeyButton,
} from '../../team/request-key.tsx'

/** Shows the app's rp id, and the key with which its server signs requests of protocol 4.0. */
export function RelyingParty() {
  const { rp_id } = useApp()
  return (
    <>
      <section>
        <Title order={2} size="h4" mb="xs">
          Rp id
        </Title>
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            Wallets know this app by its rp id in requests of protocol 4.0.
          </Text>
          <Copyable text={rp_id} label="rp id" />
        </Stack>
      </section>
      <section>
        <Title order={2} size="h4" mb="xs">
          Request signing key
        </Title>
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            Your server signs each request of protocol 4.0 with the private key. Wallets check the
            signature against the address.
          </Text>
          <RequestKey />
        </Stack>
      </section>
    </>
  )
}

function RequestKey() {
  const app = useApp()
  const mayChange = useAllowed('changeRequestKey') && !app.is_archived
  const [privateKey, setPrivateKey] = useState<string | null>(null)
  const key = requestKeyOf(app)
  const ChangeButton = key ? RotateRequestKeyButton : CreateRequestKeyButton
  return (
    <>
      {key ? (
        <>
          <Copyable text={key.address} label="address of the request signing key" />
          <Text size="sm">
            Created <Moment at={key.created_at} />
          </Text>
        </>
      ) : (
        <Text>This app has no key yet.</Text>
      )}
      {mayChange && (
        <Group>
          <ChangeButton onKey={setPrivateKey} />
        </Group>
      )}
      <PrivateKeyDialog privateKey={privateKey} onClose={() => setPrivateKey(null)} />
    </>
  )
}
