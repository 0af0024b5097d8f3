import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Target } from './attack-target.ts'
import { sendRepeatedly } from './send-repeatedly.ts'

type LoadOptions = {
  /** The number of requests under way at a time. */
  concurrency: number
  signal: AbortSignal
  document: () => string
  variables?: () => object
}

/** Sends GraphQL documents with the target's API key until `signal` is aborted. */
export function requestRepeatedly(
  { baseUrl, apiKey }: Target,
  { concurrency, signal, document, variables = () => ({}) }: LoadOptions,
): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` }
  const makeAttempt = () => ({
    url: `${baseUrl}/v1/graphql`,
    headers,
    body: JSON.stringify({ query: document(), variables: variables() }),
  })
  return sendRepeatedly(makeAttempt, { concurrency, signal })
}

/** Opens a WebSocket with the target's API key, in the protocol graphql-transport-ws. */
export async function openSocket({ baseUrl, apiKey }: Target): Promise<WebSocket> {
  const socket = new WebSocket(
    `${baseUrl.replace('http', 'ws')}/v1/graphql`,
    'graphql-transport-ws',
  )
  socket.on('error', () => {})
  await once(socket, 'open')
  const payload = { headers: { authorization: `Bearer ${apiKey}` } }
  socket.send(JSON.stringify({ type: 'connection_init', payload }))
  await once(socket, 'message')
  return socket
}

/** Resolves when `signal` is aborted. */
export function waitForAbort(signal: AbortSignal): Promise<unknown> {
  return signal.aborted ? Promise.resolve() : once(signal, 'abort')
}
