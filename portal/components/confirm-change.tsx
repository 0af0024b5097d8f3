import {
  Button,
  type ButtonProps,
  Group,
  Modal,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { useChange } from './use-change.ts'

type ConfirmChangeProps<Result> = {
  /** The text of the button that opens the dialog and of the button that confirms. */
  label: string
  title: string
  /** Describes the effect of the change. */
  consequences: ReactNode
  /** A text that the user must type to confirm a change that cannot be undone. */
  requiredText?: string
  /** Asks for the account's password and passes it to `change`. */
  asksPassword?: boolean
  toast: string
  /** Makes the change. The signal aborts when the user cancels. */
  change(input: string, signal: AbortSignal): Promise<Result>
  /** Called after the dialog has closed, so that the result can open another dialog. */
  onDone?(result: Result): unknown
  /** True if the change logs the user out. */
  endsLogin?: boolean
  button?: ButtonProps
}

/** A button for a change with consequences. It opens a dialog that names the consequences, where the user confirms. */
export function ConfirmChange<Result>(props: ConfirmChangeProps<Result>) {
  const { label, title, consequences, button = { variant: 'default' } } = props
  const [text, setText] = useState('')
  const [isOpen, { open, close }] = useDisclosure(false, { onClose: () => setText('') })
  const { mutate, isPending, cancel } = useChange((_, signal) => props.change(text, signal), {
    toast: props.toast,
    endsLogin: props.endsLogin ?? false,
    onDone(result) {
      close()
      return props.onDone?.(result)
    },
  })
  const leave = () => {
    cancel()
    close()
  }
  return (
    <>
      <Button {...button} onClick={open}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={leave} title={title}>
        <Stack
          component="form"
          onSubmit={(event) => {
            event.preventDefault()
            // The dialog may be inside another form: React passes its events to the components around it.
            event.stopPropagation()
            if (isConfirmed(text, props) && !isPending) mutate()
          }}
        >
          <Text component="div">{consequences}</Text>
          <ConfirmationField {...props} text={text} onType={setText} />
          <Group justify="flex-end">
            <CancelButton onClick={leave} />
            <Button
              color="red"
              disabled={!isConfirmed(text, props)}
              loading={isPending}
              type="submit"
            >
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}

function CancelButton({ onClick }: { onClick(): void }) {
  return (
    <Button variant="default" onClick={onClick}>
      Cancel
    </Button>
  )
}

type Confirmation = { requiredText?: string; asksPassword?: boolean }

function isConfirmed(text: string, { requiredText, asksPassword = false }: Confirmation): boolean {
  if (asksPassword) return text !== ''
  return requiredText === undefined || collapseSpaces(text) === collapseSpaces(requiredText)
}

function ConfirmationField({
  requiredText,
  asksPassword = false,
  text,
  onType,
}: Confirmation & { text: string; onType(text: string): void }) {
  if (asksPassword)
    return (
      <PasswordInput
        label="Your password"
        value={text}
        onChange={(event) => onType(event.currentTarget.value)}
        autoComplete="current-password"
      />
    )
  if (requiredText === undefined) return null
  return (
    <TextInput
      label={
        <>
          To confirm, type <b>{requiredText}</b>
        </>
      }
      value={text}
      onChange={(event) => onType(event.currentTarget.value)}
      autoComplete="off"
    />
  )
}

/** Collapses spaces as a browser shows them. */
function collapseSpaces(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}
