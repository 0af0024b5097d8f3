import { notifications } from '@mantine/notifications'
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { cancellation, isCancelled, isForbidden, isUncertain } from '../graphql/request-error.ts'
import { useLoggedOut } from '../session/use-logged-out.ts'

type Outcome<Input, Result> = {
  /** The text of the toast after the change. */
  toast?: string
  onDone?(result: Result, input: Input): unknown
  /** True if the change logs the user out: the log-in page follows. */
  endsLogin?: boolean
  /** Shows the error. By default, a toast shows it. */
  onError?(error: Error): void
}

/** The longest time for which a dialog stays open while the page is read again. On a slow line, the page follows later. */
const MAX_REREAD_MS = 4_000

/**
 * A mutation that reads all data of the page again when it succeeds, unless it ends the login.
 *
 * @param change gets a signal that aborts its request when `cancel` is called
 */
export function useChange<Input, Result>(
  change: (input: Input, signal: AbortSignal) => Promise<Result>,
  { toast, onDone, endsLogin = false, onError = showFailure }: Outcome<Input, Result> = {},
) {
  const queryClient = useQueryClient()
  const leave = useLoggedOut()
  const controller = useRef<AbortController>(null)
  const mutation = useMutation({
    mutationFn: (input: Input) => {
      const newController = new AbortController()
      controller.current = newController
      const { signal } = newController
      return Promise.race([change(input, signal), rejectWhenAborted(signal)])
    },
    onError(error) {
      // The change may have been made all the same, or the user may have another role now.
      if (isUncertain(error) || isForbidden(error)) void rereadAll(queryClient)
      if (isCancelled(error)) showCancellation(error)
      else onError(error)
    },
    async onSuccess(result, input) {
      if (endsLogin) await leave()
      else await Promise.race([rereadAll(queryClient), delay(MAX_REREAD_MS)])
      if (toast) notifications.show({ message: toast })
      await onDone?.(result, input)
    },
  })
  return {
    ...mutation,
    /** Aborts the change, if one is under way. */
    cancel: () => controller.current?.abort(),
  }
}

/** Shows an error as a toast. */
export function showFailure({ message }: Error): void {
  notifications.show({ color: 'red', title: 'That did not work', message })
}

function showCancellation({ message }: Error) {
  notifications.show({ color: 'orange', title: 'Cancelled', message, autoClose: 10_000 })
}

/** Reads all data of the page again. Ends running reads first, also a page's first read, since they may return the old data. */
async function rereadAll(queryClient: QueryClient) {
  await queryClient.cancelQueries()
  await queryClient.invalidateQueries()
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(cancellation()), { once: true })
  })
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
