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
  /** Of the button that asks, and of the one that confirms. */
  label: string
  title: string
  /** What will happen, and whether it can be undone. */
  consequences: ReactNode
  /** What a person has to type first, for what cannot be undone. */
  typed?: string
  /** Asks for the password of the account, which `change` gets. */
  asksPassword?: boolean
  done: string
  change(entered: string): Promise<Result>
  /** Called when the dialog is closed, so that what was made can be shown in one of its own. */
  onDone?(result: Result): unknown
  /** Nobody is logged in any more afterwards. */
  endsLogin?: boolean
  button?: ButtonProps
}

/** A button for something that has consequences: they are named, and confirmed, before it happens. */
export function ConfirmChange<Result>(props: ConfirmChangeProps<Result>) {
  const { label, title, consequences, button = { variant: 'default' } } = props
  const [text, setText] = useState('')
  const [isOpen, { open, close }] = useDisclosure(false, { onClose: () => setText('') })
  const { mutate, isPending } = useChange(() => props.change(text), {
    done: props.done,
    endsLogin: props.endsLogin ?? false,
    onDone(result) {
      close()
      return props.onDone?.(result)
    },
  })
  const confirm = () => mutate()
  return (
    <>
      <Button {...button} onClick={open}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title}>
        <Stack>
          <Text component="div">{consequences}</Text>
          <ConfirmationField {...props} text={text} onType={setText} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              color="red"
              disabled={!isConfirmed(text, props)}
              loading={isPending}
              onClick={confirm}
            >
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}

type Asked = { typed?: string; asksPassword?: boolean }

function isConfirmed(text: string, { typed, asksPassword = false }: Asked): boolean {
  if (asksPassword) return text !== ''
  return typed === undefined || asSeen(text) === asSeen(typed)
}

function ConfirmationField({
  typed,
  asksPassword = false,
  text,
  onType,
}: Asked & { text: string; onType(text: string): void }) {
  if (asksPassword)
    return (
      <PasswordInput
        label="Your password"
        value={text}
        onChange={(event) => onType(event.currentTarget.value)}
        autoComplete="current-password"
      />
    )
  if (typed === undefined) return null
  return (
    <TextInput
      label={
        <>
          To confirm, type <b>{typed}</b>
        </>
      }
      value={text}
      onChange={(event) => onType(event.currentTarget.value)}
      autoComplete="off"
    />
  )
}

/** A browser shows several spaces as one, and none at the ends. */
function asSeen(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}
