import { Modal } from '@mantine/core'
import { createContext, type ReactNode, useContext, useId, useState } from 'react'
import { unsavedKind } from '../session/unsaved-changes.ts'
import { DiscardQuestion } from './leave-question.tsx'

type FormDialogProps = { isOpen: boolean; onClose(): void; title: string; children: ReactNode }

const DialogContext = createContext<string | null>(null)

/** Returns the id of the dialog around the component; null on a page. */
export function useDialogId(): string | null {
  return useContext(DialogContext)
}

/** A dialog with a form. Escape, the button and a click next to the dialog ask before they discard what the user entered. */
export function FormDialog({ isOpen, onClose, title, children }: FormDialogProps) {
  const id = useId()
  const [isAsking, setIsAsking] = useState(false)
  const close = () => {
    if (unsavedKind(id) === null) onClose()
    else setIsAsking(true)
  }
  return (
    <DialogContext value={id}>
      <Modal opened={isOpen} onClose={close} title={title} closeOnEscape={!isAsking}>
        {children}
      </Modal>
      {/* Mounted only when needed: otherwise the question would handle the key event that opens it, and close at once. */}
      {isAsking && (
        <DiscardQuestion
          isOpen
          dialog={id}
          onStay={() => setIsAsking(false)}
          onDiscard={() => {
            setIsAsking(false)
            onClose()
          }}
        />
      )}
    </DialogContext>
  )
}
