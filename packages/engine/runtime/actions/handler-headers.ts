import { randomBytes } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { USER_AGENT } from '../../config/version.ts'
import { type ConfiguredHeader, configuredHeaders } from '../../outgoing/environment.ts'
import { clientHeaders } from '../../session/client.ts'
import { forwardedClientHeaders } from '../../session/forwarded-headers.ts'
import type { HandlerCall } from './handler-call.ts'

type Configured = {
  headers: readonly ConfiguredHeader[]
  forward_client_headers: boolean
  ignored_client_headers?: readonly string[] | null | undefined
}

/**
 * The headers of a call of an action's handler, or of a webhook that validates input. The client's take precedence over
 * ours, and ours over the configured ones; the other way round with `configuredHeadersFirst`.
 */
export function webhookHeaders(
  {
    headers: configured,
    ignored_client_headers: ignored,
    forward_client_headers: forward,
  }: Configured,
  { headers, requestId }: Pick<HandlerCall, 'headers' | 'requestId'>,
  { environment, configuredHeadersFirst }: Pick<Config, 'environment' | 'configuredHeadersFirst'>,
): Record<string, string> {
  const ours = {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    ...traceHeaders(requestId),
  }
  const clients = forward
    ? forwardedClientHeaders(clientHeaders(headers), ignoredHeaders(ignored))
    : {}
  const named = configuredHeaders(configured, environment)
  return configuredHeadersFirst
    ? overrideHeaders(clients, ours, named)
    : overrideHeaders(named, ours, clients)
}

/** All of these headers, whose names may be in small or capital letters; of one name the last counts. */
function overrideHeaders(...all: readonly Record<string, string>[]): Record<string, string> {
  const entries = all.flatMap((headers) => Object.entries(headers))
  const byName = new Map(entries.map((entry) => [entry[0].toLowerCase(), entry]))
  return Object.fromEntries(byName.values())
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
