import { createClient } from 'graphql-ws'
import { useEffect, useEffectEvent } from 'react'
import type { TypedDocumentString } from './generated/graphql.ts'

/** Connects at the first subscription. The server ends each socket after a while, since roles may change; the client reconnects. */
const client = createClient({
  url: `${location.origin.replace(/^http/, 'ws')}/v1/graphql`,
  retryAttempts: Number.POSITIVE_INFINITY,
  shouldRetry: () => true,
})

/** Subscribes while the component is mounted, unless `variables` is null. Calls `onResult` with each result. */
export function useSubscription<Result, Variables extends Record<string, unknown>>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables | null,
  onResult: (result: Result) => void,
): void {
  const receive = useEffectEvent(onResult)
  const query = document.toString()
  const key = JSON.stringify(variables)
  useEffect(() => {
    const parsed: Variables | null = JSON.parse(key)
    if (parsed === null) return
    return client.subscribe<Result>(
      { query, variables: parsed },
      {
        next: ({ data }) => data && receive(data),
        // Ignores errors: without a subscription, TanStack Query refetches when the user returns to the page.
        error: () => {},
        complete: () => {},
      },
    )
  }, [query, key])
}
