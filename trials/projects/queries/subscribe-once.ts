import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { errorsOf } from './response-errors.ts'
import type { GraphqlRequest } from './root-fields.ts'

/** The longest wait for the first response. A streaming subscription sends no response while it has no rows. */
const FIRST_RESPONSE_MS = 3_000

/** Subscribes as an app does (graphql-transport-ws), until the first response. @returns the errors of the response */
export async function subscribeOnce(
  url: string,
  headers: Record<string, string>,
  { query, variables }: GraphqlRequest,
): Promise<{ text: string; isExplained: boolean }[]> {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/v1/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { headers },
    retryAttempts: 0,
  })
  const responses = client.iterate({ query, variables: { ...variables } })
  const timer = setTimeout(() => void client.dispose(), FIRST_RESPONSE_MS)
  try {
    const { value, done }: IteratorResult<unknown, unknown> = await responses.next()
    if (done)
      return [{ text: 'a subscription without a response', isExplained: /_stream\b/.test(query) }]
    return errorsOf(value)
  } catch (error) {
    return errorsOf({ errors: Array.isArray(error) ? error : [{ message: String(error) }] })
  } finally {
    clearTimeout(timer)
    await responses.return?.()
    await client.dispose()
  }
}
