import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLoggedOut } from '../session/use-logged-out.ts'

type Outcome<Input, Result> = {
  /** What to tell the person, shown for some seconds and read out. */
  done?: string
  onDone?(result: Result, input: Input): unknown
  /** Nobody is logged in any more afterwards, so the way leads to logging in. */
  endsLogin?: boolean
  /** Shows the error itself instead of telling it in passing. */
  onError?(error: Error): void
}

/** Carries out a change that a person asked for; afterwards all that the page shows is read anew. */
export function useChange<Input, Result>(
  change: (input: Input) => Promise<Result>,
  { done, onDone, endsLogin = false, onError = showFailure }: Outcome<Input, Result> = {},
) {
  const queryClient = useQueryClient()
  const leave = useLoggedOut()
  return useMutation({
    mutationFn: change,
    onError,
    async onSuccess(result, input) {
      if (endsLogin) await leave()
      else await queryClient.invalidateQueries()
      if (done) notifications.show({ message: done })
      await onDone?.(result, input)
    },
  })
}

/** Tells the person in passing why something was not done. */
export function showFailure({ message }: Error): void {
  notifications.show({ color: 'red', title: 'That did not work', message })
}
