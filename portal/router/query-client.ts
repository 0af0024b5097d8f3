import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isSessionOver, isWorthAnotherTry } from '../graphql/request-error.ts'
import { noteSessionOver } from '../session/session-over.ts'

const MAX_TRIES = 3

/** What the pages have read, kept while somebody looks at it. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteIfOver }),
  mutationCache: new MutationCache({ onError: noteIfOver }),
  defaultOptions: {
    queries: {
      retry: (tries, error) => tries < MAX_TRIES && isWorthAnotherTry(error),
      staleTime: 10_000,
    },
  },
})

function noteIfOver(error: Error) {
  if (isSessionOver(error)) noteSessionOver(true)
}
