import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isSessionOver, isWorthRetrying } from '../graphql/request-error.ts'
import { recordSessionOver } from '../session/session-over.ts'

const MAX_TRIES = 3

/** The cache of the data that pages have read. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: recordIfSessionOver }),
  mutationCache: new MutationCache({ onError: recordIfSessionOver }),
  defaultOptions: {
    queries: {
      retry: (tries, error) => tries < MAX_TRIES && isWorthRetrying(error),
      staleTime: 10_000,
    },
  },
})

function recordIfSessionOver(error: Error) {
  if (isSessionOver(error)) recordSessionOver(true)
}
