import { Alert, Button, Modal, Stack, Text } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import { useUnsaved } from '../session/unsaved-changes.ts'
import { Copyable } from './copyable.tsx'

type SecretDialogProps = {
  title: string
  /** The secret; null if the dialog is closed. */
  secret: string | null
  /** Names the secret, such as "key". */
  label: string
  onClose(): void
}

/** Shows a secret that the platform cannot show again. Only its button closes the dialog, not Escape or a stray click. */
export function SecretDialog({ title, secret, label, onClose }: SecretDialogProps) {
  return (
    <Modal
      opened={secret !== null}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={title}
    >
      {secret !== null && <SecretShownOnce secret={secret} label={label} onClose={onClose} />}
    </Modal>
  )
}

type SecretShownOnceProps = { secret: string; label: string; onClose(): void }

function SecretShownOnce({ secret, label, onClose }: SecretShownOnceProps) {
  const forget = useUnsaved('secret', null)
  return (
    <Stack>
      <Alert icon={<KeyRound aria-hidden />} title={`Copy the ${label} now`} role="status">
        <Stack gap="xs">
          <Copyable text={secret} label={label} />
          <Text size="sm">
            You cannot see it again later. Keep it on your server, never in a web page or a
            repository.
          </Text>
        </Stack>
      </Alert>
      <Button
        onClick={() => {
          forget()
          onClose()
        }}
      >
        I have copied it
      </Button>
    </Stack>
  )
}
