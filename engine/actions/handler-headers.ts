import { randomBytes } from 'node:crypto'
import {
  type ConfiguredHeader,
  configuredHeaders,
  type Environment,
} from '../outgoing/environment.ts'
import { forwardedClientHeaders } from '../outgoing/forwarded-headers.ts'
import { clientHeaders } from '../request/client.ts'
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
    ...(forward ? forwardedClientHeaders(clientHeaders(headers), ignoredHeaders(ignored)) : {}),
  }
}

function ignoredHeaders(names: readonly string[] | null | undefined) {
  return names ? new Set(names.map((name) => name.toLowerCase())) : undefined
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
