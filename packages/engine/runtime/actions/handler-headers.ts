import { randomBytes } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { USER_AGENT } from '../../config/version.ts'
import { type ConfiguredHeader, configuredHeaders } from '../../outgoing/environment.ts'
import { clientHeaders } from '../../session/client.ts'
import { forwardedClientHeaders } from '../../session/forwarded-headers.ts'
import type { HandlerCall } from './handler-call.ts'

type HeaderSettings = {
  headers: readonly ConfiguredHeader[]
  forward_client_headers: boolean
  ignored_client_headers?: readonly string[] | null | undefined
}

/**
 * Returns the headers for an action's handler, or for a webhook that validates input. The client's headers win over the engine's
 * headers, and the engine's over configured headers. `configuredHeadersFirst` reverses the order.
 */
export function webhookHeaders(
  {
    headers: configured,
    ignored_client_headers: ignored,
    forward_client_headers: forward,
  }: HeaderSettings,
  { headers, requestId }: Pick<HandlerCall, 'headers' | 'requestId'>,
  { environment, configuredHeadersFirst }: Pick<Config, 'environment' | 'configuredHeadersFirst'>,
): Record<string, string> {
  const fromEngine = {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    ...traceHeaders(requestId),
  }
  const fromClient = forward
    ? forwardedClientHeaders(clientHeaders(headers), ignoredHeaders(ignored))
    : {}
  const fromSettings = configuredHeaders(configured, environment)
  return configuredHeadersFirst
    ? overrideHeaders(fromClient, fromEngine, fromSettings)
    : overrideHeaders(fromSettings, fromEngine, fromClient)
}

/** Merges headers. Ignores the case of their names; the last value of a name wins. */
function overrideHeaders(...all: readonly Record<string, string>[]): Record<string, string> {
  const entries = all.flatMap((headers) => Object.entries(headers))
  const byName = new Map(entries.map((entry) => [entry[0].toLowerCase(), entry]))
  return Object.fromEntries(byName.values())
}

function ignoredHeaders(names: readonly string[] | null | undefined) {
  return names ? new Set(names.map((name) => name.toLowerCase())) : undefined
}

/**
 * Creates the headers that trace the call.
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
