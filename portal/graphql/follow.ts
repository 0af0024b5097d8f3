import { createClient } from 'graphql-ws'
import { useEffect, useEffectEvent } from 'react'
import type { TypedDocumentString } from './generated/graphql.ts'

/** Connects when something is first followed. The server ends each socket after a while, since roles change; then it connects again. */
const client = createClient({
  url: `${location.origin.replace(/^http/, 'ws')}/v1/graphql`,
  retryAttempts: Number.POSITIVE_INFINITY,
  shouldRetry: () => true,
})

/** Calls back with each result of a subscription, as long as the component is shown and the variables are known. */
export function useFollow<Result, Variables extends Record<string, unknown>>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables | null,
  onResult: (result: Result) => void,
): void {
  const receive = useEffectEvent(onResult)
  const query = document.toString()
  const key = JSON.stringify(variables)
  useEffect(() => {
    const given: Variables | null = JSON.parse(key)
    if (given === null) return
    return client.subscribe<Result>(
      { query, variables: given },
      {
        next: ({ data }) => data && receive(data),
        // What is not followed is read again when the person comes back to the page.
        error: () => {},
        complete: () => {},
      },
    )
  }, [query, key])
}
