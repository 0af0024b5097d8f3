import { randomBytes } from 'node:crypto'
import {
  type ConfiguredHeader,
  configuredHeaders,
  type Environment,
} from '../outgoing/environment.ts'
import { forwardedHeaders } from '../outgoing/forwarded-headers.ts'
import { type ClientHeaders, clientHeaders } from '../request/client.ts'
import { USER_AGENT } from '../version.ts'
import type { HandlerCall } from './handler-call.ts'

type Configured = {
  headers: readonly ConfiguredHeader[]
  forward_client_headers: boolean
  ignored_client_headers?: readonly string[] | null | undefined
}

/**
 * The headers of a call of an action's handler, or of a webhook that validates input. The client's take precedence over
 * ours, and ours over the configured ones.
 */
export function webhookHeaders(
  {
    headers: configured,
    ignored_client_headers: ignored,
    forward_client_headers: forward,
  }: Configured,
  { headers, requestId }: Pick<HandlerCall, 'headers' | 'requestId'>,
  environment: Environment,
): Record<string, string> {
  return {
    ...configuredHeaders(configured, environment),
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    ...traceHeaders(requestId),
    ...(forward ? forwardedClientHeaders(clientHeaders(headers), ignored ?? null) : {}),
  }
}

/** The client's headers without session variables, which are in the body as they were authenticated. */
function forwardedClientHeaders(headers: ClientHeaders, ignored: readonly string[] | null) {
  const lower = ignored?.map((name) => name.toLowerCase())
  const forwarded = Object.entries(forwardedHeaders(headers, lower && new Set(lower)))
  return {
    ...Object.fromEntries(forwarded.filter(([name]) => !name.startsWith('x-hasura-'))),
    ...renamedHeader(headers, 'host', 'X-Forwarded-Host'),
    ...renamedHeader(headers, 'user-agent', 'X-Forwarded-User-Agent'),
    ...renamedHeader(headers, 'origin', 'X-Forwarded-Origin'),
  }
}

function renamedHeader(headers: ClientHeaders, from: string, to: string): Record<string, string> {
  const value = headers[from]
  return value === undefined ? {} : { [to]: value }
}

/**
 * Headers by which the call can be traced.
 *
 * @see https://github.com/openzipkin/b3-propagation
 */
function traceHeaders(requestId: string | null): Record<string, string> {
  return {
    'X-B3-TraceId': randomBytes(16).toString('hex'),
    'X-B3-SpanId': randomBytes(8).toString('hex'),
    ...(requestId === null ? {} : { 'X-Request-Id': requestId }),
  }
}
