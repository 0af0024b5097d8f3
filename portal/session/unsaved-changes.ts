import { useEffect, useId, useSyncExternalStore } from 'react'

/** A page or dialog that would lose something if it closed now. */
type Unsaved = {
  /** The kind of loss: changes in a form, or a secret that is shown only once. */
  kind: 'changes' | 'secret'
  /** The dialog around the form; null on a page. */
  dialog: string | null
}

/** The unsaved forms and secrets of the open pages, by the id of their component. */
const unsaved = new Map<string, Unsaved>()

/** The step for which the user must accept the loss of unsaved changes; null without a question. */
let wish: (() => void) | null = null
const listeners = new Set<() => void>()

/** Returns what would be lost if the page, or only a dialog, closed now; null if nothing would. */
export function unsavedKind(dialog?: string): Unsaved['kind'] | null {
  const entries = [...unsaved.values()].filter(
    (entry) => dialog === undefined || entry.dialog === dialog,
  )
  if (entries.some(({ kind }) => kind === 'secret')) return 'secret'
  return entries.length > 0 ? 'changes' : null
}

/** Forgets all unsaved changes, before a page that cannot keep them closes. */
export function forgetUnsavedChanges(): void {
  unsaved.clear()
}

/** Does something that closes the page. Asks the user first if changes would be lost. */
export function askBeforeLeaving(leave: () => void): void {
  if (unsavedKind() === null) leave()
  else setWish(leave)
}

/** Returns what the user wants to do, and re-renders the component when this changes. */
export function useWish(): (() => void) | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => wish,
  )
}

/** Ends the question of `askBeforeLeaving`. */
export function forgetWish(): void {
  setWish(null)
}

function setWish(value: (() => void) | null) {
  wish = value
  for (const listener of listeners) listener()
}

/**
 * Registers unsaved changes while `kind` is not null. Returns a function to call before the page closes because the changes
 * were saved.
 */
export function useUnsaved(kind: Unsaved['kind'] | null, dialog: string | null): () => void {
  const id = useId()
  useEffect(() => {
    if (kind !== null) unsaved.set(id, { kind, dialog })
    return () => {
      unsaved.delete(id)
    }
  }, [id, kind, dialog])
  return () => {
    unsaved.delete(id)
  }
}
