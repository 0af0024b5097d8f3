import { Button, type ButtonProps, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
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
  done: string
  change(): Promise<Result>
  /** Called when the dialog is closed, so that what was made can be shown in one of its own. */
  onDone?(result: Result): unknown
  /** Nobody is logged in any more afterwards. */
  endsLogin?: boolean
  button?: ButtonProps
}

/** A button for something that has consequences: they are named, and confirmed, before it happens. */
export function ConfirmChange<Result>(props: ConfirmChangeProps<Result>) {
  const { label, title, consequences, typed, button = { variant: 'default' } } = props
  const [isOpen, { open, close }] = useDisclosure()
  const [text, setText] = useState('')
  const { mutate, isPending } = useChange(props.change, {
    done: props.done,
    endsLogin: props.endsLogin ?? false,
    onDone(result) {
      close()
      return props.onDone?.(result)
    },
  })
  const confirm = () => mutate()
  const isConfirmed = typed === undefined || asSeen(text) === asSeen(typed)
  return (
    <>
      <Button {...button} onClick={open}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title}>
        <Stack>
          <Text component="div">{consequences}</Text>
          {typed !== undefined && (
            <TextInput
              label={
                <>
                  To confirm, type <b>{typed}</b>
                </>
              }
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              autoComplete="off"
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button color="red" disabled={!isConfirmed} loading={isPending} onClick={confirm}>
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}

/** A browser shows several spaces as one, and none at the ends. */
function asSeen(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}
