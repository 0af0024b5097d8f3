import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isSessionOver, isWorthRetrying } from '../graphql/request-error.ts'
import { recordSessionOver } from '../session/session-over.ts'

const MAX_TRIES = 3

/**
 * The cache of the data that pages have read. Without a network, reads and changes fail at once. Otherwise, a change would wait
 * for the network, and be made when the user has forgotten it.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: recordIfSessionOver }),
  mutationCache: new MutationCache({ onError: recordIfSessionOver }),
  defaultOptions: {
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (tries, error) => tries < MAX_TRIES && isWorthRetrying(error),
      staleTime: 10_000,
    },
    mutations: { networkMode: 'always' },
  },
})

function recordIfSessionOver(error: Error) {
  if (isSessionOver(error)) recordSessionOver(true)
}
