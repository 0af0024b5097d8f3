import { Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Hex } from 'viem'
import { PasswordField } from '../../components/password-field.tsx'
import { requestKeyOf, useApp } from '../../team/current-app.tsx'
import { useAllowed } from '../../team/current-team.tsx'
import { CreateRequestKeyButton, PrivateKeyDialog } from '../../team/request-key.tsx'

type SigningKeyFieldProps = { value: string; error: string | null; onChange(text: string): void }

/** Asks for the private key that signs the request. If the app has no key yet, the user can create the key here. */
export function SigningKeyField({ value, error, onChange }: SigningKeyFieldProps) {
  const hasKey = requestKeyOf(useApp()) !== undefined
  const [newKey, setNewKey] = useState<string | null>(null)
  const adoptKey = (privateKey: string) => {
    setNewKey(privateKey)
    onChange(privateKey)
  }
  return (
    <>
      {hasKey ? (
        <PasswordField
          label="Private key of the request signing key"
          description="This page signs the request with the key, as your server does. The key stays in the memory of this page. It is never sent and never stored."
          placeholder="0x…"
          autoComplete="off"
          value={value}
          error={error}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <MissingKey onKey={adoptKey} />
      )}
      <PrivateKeyDialog privateKey={newKey} onClose={() => setNewKey(null)} />
    </>
  )
}

function MissingKey({ onKey }: { onKey(privateKey: string): void }) {
  const mayCreate = useAllowed('changeRequestKey')
  return (
    <Stack gap="xs">
      <Text>This app has no request signing key yet. Requests of protocol 4.0 must be signed.</Text>
      {mayCreate ? (
        <Group>
          <CreateRequestKeyButton onKey={onKey} />
        </Group>
      ) : (
        <Text size="sm" c="dimmed">
          An owner or an admin can create the key.
        </Text>
      )}
    </Stack>
  )
}

/**
 * Parses a private key, and compares its address with the address of the app's key.
 *
 * @returns the key, or an error for the user
 */
export async function readSigningKey(
  text: string,
  address: string | undefined,
): Promise<{ privateKey: Hex } | { error: string }> {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/i.exec(text.trim()) ?? []
  if (digits === undefined) return { error: 'Enter the private key: 0x and 64 hexadecimal digits.' }
  const privateKey: Hex = `0x${digits}`
  const { keyAddressOf } = await import('./protocol-4/sign-request.ts')
  const keyAddress = keyAddressOf(privateKey)
  if (keyAddress === null) return { error: 'This number is not a private key.' }
  if (keyAddress === address) return { privateKey }
  return {
    error: `This is another key. Its address is ${keyAddress}, and the address of the app’s key is ${address}.`,
  }
}
