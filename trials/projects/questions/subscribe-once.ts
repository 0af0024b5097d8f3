import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { errorsOf } from './explained-error.ts'
import type { Question } from './root-fields.ts'

/** A stream of rows answers only when there are rows. */
const FIRST_ANSWER_MS = 3_000

/** Subscribes as an app does (graphql-transport-ws), until the first answer. @returns its errors */
export async function subscribeOnce(
  url: string,
  headers: Record<string, string>,
  { query, variables }: Question,
): Promise<{ text: string; isExplained: boolean }[]> {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/v1/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { headers },
    retryAttempts: 0,
  })
  const answers = client.iterate({ query, variables: { ...variables } })
  const timer = setTimeout(() => void client.dispose(), FIRST_ANSWER_MS)
  try {
    const { value, done }: IteratorResult<unknown, unknown> = await answers.next()
    if (done)
      return [{ text: 'a subscription without an answer', isExplained: /_stream\b/.test(query) }]
    return errorsOf(value)
  } catch (error) {
    const listed = Array.isArray(error)
      ? { errors: error }
      : { errors: [{ message: String(error) }] }
    return errorsOf(listed)
  } finally {
    clearTimeout(timer)
    await answers.return?.()
    await client.dispose()
  }
}
