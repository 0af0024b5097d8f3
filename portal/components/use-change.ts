import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
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

/** A mutation that reloads all data of the page when it succeeds, unless it ends the login. */
export function useChange<Input, Result>(
  change: (input: Input) => Promise<Result>,
  { toast, onDone, endsLogin = false, onError = showFailure }: Outcome<Input, Result> = {},
) {
  const queryClient = useQueryClient()
  const leave = useLoggedOut()
  return useMutation({
    mutationFn: change,
    onError,
    async onSuccess(result, input) {
      if (endsLogin) await leave()
      else await queryClient.invalidateQueries()
      if (toast) notifications.show({ message: toast })
      await onDone?.(result, input)
    },
  })
}

/** Shows an error as a toast. */
export function showFailure({ message }: Error): void {
  notifications.show({ color: 'red', title: 'That did not work', message })
}
