import { Button } from '@mantine/core'
import { ConfirmChange } from '../components/confirm-change.tsx'
import { SecretDialog } from '../components/secret-shown-once.tsx'
import { useChange } from '../components/use-change.ts'
import { CreateRequestKeyDocument, RotateRequestKeyDocument } from '../graphql/generated/graphql.ts'
import { request } from '../graphql/request.ts'
import { useApp } from './current-app.tsx'

type KeyChangeProps = {
  /** Called with the new private key. */
  onKey(privateKey: string): void
}

/** A button that creates the request signing key of an app without a key. */
export function CreateRequestKeyButton({ onKey }: KeyChangeProps) {
  const { id: app_id } = useApp()
  const { mutate, isPending } = useChange(() => request(CreateRequestKeyDocument, { app_id }), {
    toast: 'Key created.',
    onDone: ({ create_request_key: { private_key } }) => onKey(private_key),
  })
  return (
    <Button variant="default" loading={isPending} onClick={() => mutate()}>
      Create key
    </Button>
  )
}

/** A button that rotates the app's request signing key. */
export function RotateRequestKeyButton({ onKey }: KeyChangeProps) {
  const { id: app_id } = useApp()
  return (
    <ConfirmChange
      label="Rotate key"
      title="Rotate the request signing key?"
      consequences="The current key stops working at once. Your server must sign with the new key, or wallets refuse its requests."
      toast="Key rotated."
      change={(_, signal) => request(RotateRequestKeyDocument, { app_id }, signal)}
      onDone={({ rotate_request_key: { private_key } }) => onKey(private_key)}
    />
  )
}

type PrivateKeyDialogProps = { privateKey: string | null; onClose(): void }

/** Shows a new private key once. Closed if `privateKey` is null. */
export function PrivateKeyDialog({ privateKey, onClose }: PrivateKeyDialogProps) {
  return (
    <SecretDialog
      title="Your new request signing key"
      secret={privateKey}
      label="private key"
      onClose={onClose}
    />
  )
}
