import { Button, Group, getDefaultZIndex, Modal, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useBlocker } from 'react-router'
import {
  forgetUnsavedChanges,
  forgetWish,
  unsavedKind,
  useWish,
} from '../session/unsaved-changes.ts'

/** Asks the user before a page with unsaved changes closes. Rendered once, around all pages with a login. */
export function LeaveQuestion() {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname !== nextLocation.pathname && unsavedKind() !== null,
  )
  const wish = useWish()
  useEffect(() => {
    addEventListener('beforeunload', keepUnsaved)
    return () => removeEventListener('beforeunload', keepUnsaved)
  }, [])
  const leave = () => {
    forgetUnsavedChanges()
    forgetWish()
    blocker.proceed?.()
    wish?.()
  }
  const stay = () => {
    forgetWish()
    blocker.reset?.()
  }
  const isAsking = blocker.state === 'blocked' || wish !== null
  return <DiscardQuestion isOpen={isAsking} onStay={stay} onDiscard={leave} />
}

/** Makes the browser ask before it closes or reloads the tab. */
function keepUnsaved(event: BeforeUnloadEvent) {
  if (unsavedKind() !== null) event.preventDefault()
}

type DiscardQuestionProps = {
  isOpen: boolean
  /** The dialog that would close; undefined if the page would close. */
  dialog?: string
  onStay(): void
  onDiscard(): void
}

/** The dialog that asks whether unsaved changes may be lost. */
export function DiscardQuestion({ isOpen, dialog, onStay, onDiscard }: DiscardQuestionProps) {
  const words = WORDS[unsavedKind(dialog) ?? 'changes']
  return (
    <Modal opened={isOpen} onClose={onStay} title={words.title} zIndex={ABOVE_DIALOGS}>
      <Stack>
        <Text>{words.text}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onStay} data-autofocus>
            {words.stay}
          </Button>
          <Button color="red" onClick={onDiscard}>
            {words.discard}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** The question may be about a dialog that opened before or after it. */
const ABOVE_DIALOGS = getDefaultZIndex('modal') + 10

const WORDS = {
  changes: {
    title: 'Discard your changes?',
    text: 'You have entered something that is not saved.',
    stay: 'Keep editing',
    discard: 'Discard',
  },
  secret: {
    title: 'Have you copied the secret?',
    text: 'You cannot see the secret again.',
    stay: 'Back to the secret',
    discard: 'Close without the secret',
  },
} as const
