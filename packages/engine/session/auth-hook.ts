import { z } from 'zod'
import type { Log } from '../../../lib/runtime/log/log.ts'
import type { Config } from '../config/config.ts'
import { USER_AGENT } from '../config/version.ts'
import { EngineError } from '../errors.ts'
import { exactJsonOrNull } from '../json/json-or-null.ts'
import { type OutgoingReply, sendRequest } from '../outgoing/send-request.ts'
import type { ClientHeaders } from './client.ts'
import { forwardedHeaders } from './forwarded-headers.ts'
import type { Authenticate, Authentication, Caller } from './session.ts'
import { createSession, pickSessionVariables, ROLE_VARIABLE } from './session-variables.ts'
import { openWebhookLog } from './webhook-log.ts'

/**
 * Creates an authenticator that calls a webhook, which responds 200 with the session variables, or 401.
 *
 * In mode GET, the hook receives the client's headers as headers, without those that `forwardedHeaders` leaves out. In
 * mode POST, it receives `{headers, request}` as JSON, with all headers. `request` is null if the client's request is
 * not a GraphQL request or a batch of GraphQL requests. If HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY is false,
 * `request` is left out.
 */
export function createHookAuthenticator(url: string, config: Config, log: Log): Authenticate {
  const { authHookMode, authHookSendRequestBody } = config
  const hookLog = openWebhookLog(url, config, log)
  const callHook = {
    GET: ({ headers }: Caller) => callHookByGet(url, headers),
    POST: ({ headers, request }: Caller) =>
      callHookByPost(
        url,
        authHookSendRequestBody ? { headers, request: graphqlOrNull(request) } : { headers },
      ),
  }[authHookMode]
  return async (caller) => {
    const reply = await callHook(caller).catch((cause: unknown) => {
      hookLog.writeFailure(cause)
      throw new EngineError('unexpected', 'webhook authentication request failed', { cause })
    })
    hookLog.writeReply(reply)
    return readHookReply(reply)
  }
}

const GraphqlRequest = z.looseObject({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
})

const GraphqlRequests = z.union([GraphqlRequest, z.array(GraphqlRequest)])

function graphqlOrNull(request: unknown): unknown {
  return GraphqlRequests.safeParse(request).success ? request : null
}

const HOOK_TIMEOUT_MS = 60_000

const HOOK_HEADERS = { 'Content-Type': 'application/json', 'User-Agent': USER_AGENT }

function callHookByGet(url: string, headers: ClientHeaders): Promise<OutgoingReply> {
  return sendRequest({
    method: 'GET',
    url,
    headers: { ...forwardedHeaders(headers), ...HOOK_HEADERS },
    body: null,
    timeoutMs: HOOK_TIMEOUT_MS,
    isRepeatable: true,
  })
}

function callHookByPost(url: string, body: object): Promise<OutgoingReply> {
  return sendRequest({
    method: 'POST',
    url,
    headers: HOOK_HEADERS,
    body: JSON.stringify(body),
    timeoutMs: HOOK_TIMEOUT_MS,
    isRepeatable: true,
  })
}

function readHookReply({ status, headers, text }: OutgoingReply): Authentication {
  if (status === 401) {
    throw new EngineError('access-denied', 'Authentication hook unauthorized this request')
  }
  const claims = status === 200 ? HookClaims.safeParse(exactJsonOrNull(text)).data : undefined
  if (claims === undefined) {
    throw new EngineError('unexpected', 'Invalid response from authorization hook')
  }
  const variables = pickSessionVariables(members(text))
  const role = variables.get(ROLE_VARIABLE)
  if (!role) {
    throw new EngineError('invalid-params', `"${ROLE_VARIABLE}" not found in session variables`)
  }
  const session = createSession(role, variables, sessionExpiry(claims, new Date()))
  return { session, cookies: headers['set-cookie'] ?? [] }
}

/** Yields the members of a JSON object of strings, in their order. A key that occurs twice is yielded twice. */
function* members(json: string): Generator<[string, string]> {
  for (const [, key, value] of json.matchAll(MEMBER))
    yield [JSON.parse(`${key}`), JSON.parse(`${value}`)]
}

const TEXT = '"(?:[^"\\\\]|\\\\.)*"'
const MEMBER = new RegExp(`(${TEXT})\\s*:\\s*(${TEXT})`, 'g')

const HookClaims = z.record(z.string(), z.string())

/**
 * Returns when the session ends; null if it does not end. `Cache-Control: max-age=N` takes precedence over `Expires`.
 * The hook sends both as members of the response's body, not as headers.
 */
function sessionExpiry(claims: Record<string, string>, now: Date): Date | null {
  const values = new Map(Object.entries(claims).map(([key, value]) => [key.toLowerCase(), value]))
  const seconds = /(?:^|[,\s])max-age=(\d+)/.exec(values.get('cache-control') ?? '')?.[1]
  if (seconds !== undefined) return new Date(now.getTime() + Number(seconds) * 1000)
  const expiry = Date.parse(values.get('expires') ?? '')
  return Number.isNaN(expiry) ? null : new Date(expiry)
}
