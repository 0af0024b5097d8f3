import { USER_AGENT } from '../../config/version.ts'
import type { RemoteSchemaDefinitionMetadata } from '../../metadata/remote-schemas.ts'
import { configuredHeaders, type Environment, fillInVariables } from '../../outgoing/environment.ts'
import { type OutgoingReply, sendRequest } from '../../outgoing/send-request.ts'
import type { ClientHeaders } from '../../session/client.ts'
import { forwardedClientHeaders } from '../../session/forwarded-headers.ts'

/** The JSON body of a GraphQL request to another server. */
export type RemoteRequest = {
  query: string
  variables?: Readonly<Record<string, unknown>>
  operationName?: string
}

/** The caller of a request to a remote server. */
export type RemoteCaller = {
  /** `x-hasura-role` and the other session variables, which are sent to the server. */
  variables: Iterable<readonly [string, string]>
  headers: ClientHeaders
  signal?: AbortSignal
  maxReplyBytes?: number
}

/**
 * Sends a request to a remote schema's server. Follows no redirects, and sends nothing twice.
 *
 * @throws Error if no complete reply arrives in time, or the reply is too large
 */
export async function sendToRemoteSchema(
  definition: RemoteSchemaDefinitionMetadata,
  request: RemoteRequest,
  caller: RemoteCaller,
  environment: Environment,
): Promise<OutgoingReply> {
  const { signal, maxReplyBytes } = caller
  return sendRequest({
    method: 'POST',
    url: addressOf(definition, environment),
    headers: headersFor(definition, caller, environment),
    body: JSON.stringify(request),
    timeoutMs: (definition.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    isRepeatable: false,
    ...(signal && { signal }),
    ...(maxReplyBytes !== undefined && { maxReplyBytes }),
  })
}

const DEFAULT_TIMEOUT_SECONDS = 60

/** Returns the address of the remote schema's server. @throws EngineError if a variable is not set */
export function addressOf(
  { url, url_from_env }: RemoteSchemaDefinitionMetadata,
  environment: Environment,
): string {
  const template = url_from_env == null ? (url ?? '') : `{{${url_from_env}}}`
  return fillInVariables(template, environment)
}

/** Merges the headers. Configured headers win over the session's variables, and the session's variables win over the client's headers. */
function headersFor(
  { headers, forward_client_headers }: RemoteSchemaDefinitionMetadata,
  caller: RemoteCaller,
  environment: Environment,
): Record<string, string> {
  const forwarded = forward_client_headers ? forwardedClientHeaders(caller.headers) : {}
  const configuredByName = configuredHeaders(headers ?? [], environment)
  const headerSources = [
    OWN_HEADERS,
    forwarded,
    Object.fromEntries(caller.variables),
    configuredByName,
  ]
  const byName = new Map<string, string>()
  for (const group of headerSources)
    for (const [name, value] of Object.entries(group)) byName.set(name.toLowerCase(), value)
  return Object.fromEntries(byName)
}

const OWN_HEADERS = { 'Content-Type': 'application/json', 'User-Agent': USER_AGENT }
