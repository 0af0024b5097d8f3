import { USER_AGENT } from '../config/version.ts'
import { EngineError } from '../errors.ts'
import { exactJsonOrNull } from '../json/json-or-null.ts'
import {
  type ConfiguredHeader,
  configuredHeaders,
  type Environment,
  fillInVariables,
} from '../outgoing/environment.ts'
import { headerList, type OutgoingReply, sendRequest } from '../outgoing/send-request.ts'
import type { TemplateScope } from '../outgoing/transform/kriti/evaluation.ts'
import { requestTransform } from '../outgoing/transform/request-transform.ts'
import { responseTransform } from '../outgoing/transform/response-transform.ts'
import {
  bodyText,
  jsonBody,
  requestScope,
  type WebhookRequest,
} from '../outgoing/transform/webhook-request.ts'
import type { Engine } from '../runtime/engine.ts'

/** A webhook, and the settings of its calls. */
export type WebhookReceiver = {
  webhook: string
  headers: readonly ConfiguredHeader[]
  timeoutSeconds: number
  requestTransform: unknown
  responseTransform: unknown
}

/** A message to a webhook. */
export type WebhookMessage = {
  payload: { id: unknown }
  /** The session variables of the request that changed a row, for templates; null for a scheduled event. */
  session: TemplateScope | null
  /** The format version of the invocation log. As in Hasura, 2 for event triggers, 1 for scheduled events. */
  version: '1' | '2'
}

/** The result of a delivery. */
export type Delivery = {
  ok: boolean
  /** The seconds in the `Retry-After` of a failed call; null if there are none. */
  retryAfterSeconds: number | null
  /** Null if the request could not be transformed: nothing was sent, and a retry cannot help. */
  invocation: Invocation | null
}

/** An entry of the invocation log. The status is null if the webhook did not respond. */
export type Invocation = { status: number | null; request: object; response: object }

/**
 * Sends a message to a webhook. Never throws: a failure is a result, too. Logs why a transformation failed, because the invocation
 * log has no entry if no request was sent.
 */
export async function deliverWebhook(
  receiver: WebhookReceiver,
  { payload, session, version }: WebhookMessage,
  { config: { environment }, log }: Pick<Engine, 'config' | 'log'>,
): Promise<Delivery> {
  let body: unknown = payload
  const attempt = await attemptDelivery().catch(
    (cause: unknown): Attempt => failedAttempt(null, errorText(cause)),
  )
  if (attempt === null) return { ok: false, retryAfterSeconds: null, invocation: null }
  const { ok, status, retryAfterSeconds, response } = attempt
  const request = { version, payload: body, headers: loggedHeaders(receiver.headers) }
  return {
    ok,
    retryAfterSeconds,
    invocation: { status, request, response: { version, ...response } },
  }

  async function attemptDelivery(): Promise<Attempt | null> {
    const original = deliveryRequest(receiver, payload, environment)
    const outgoing = transformOrNull(original)
    if (outgoing === null) return null
    body = jsonBody(outgoing)
    const reply = await sendRequest({
      ...outgoing,
      body: bodyText(outgoing),
      timeoutMs: receiver.timeoutSeconds * 1000,
      isRepeatable: true,
    })
    const isTransformed = receiver.requestTransform != null
    const request = isTransformed ? requestScope(original, original.url, session) : null
    return readReply(reply, ({ status, text }) => {
      if (receiver.responseTransform == null) return text
      const answer = { status, body: exactJsonOrNull(text), session, request }
      return runLogged('response', () =>
        JSON.stringify(responseTransform(receiver.responseTransform)(answer)),
      )
    })
  }

  /** Returns the transformed request; null if the transformation fails. */
  function transformOrNull(original: WebhookRequest): WebhookRequest | null {
    const definition = receiver.requestTransform
    if (definition == null) return original
    try {
      return runLogged('request', () => requestTransform(definition)(original, session))
    } catch {
      return null
    }
  }

  function runLogged<T>(transformName: 'request' | 'response', transform: () => T): T {
    try {
      return transform()
    } catch (cause) {
      log.error({ cause, event_id: payload.id }, `the ${transformName} transform failed`)
      throw cause
    }
  }
}

/** The result of a request, in the form of the invocation log. */
type Attempt = Omit<Delivery, 'invocation'> & {
  status: number | null
  response: { type: 'webhook_response' | 'client_error'; data: object }
}

function failedAttempt(
  status: number | null,
  message: string,
  retryAfterSeconds: number | null = null,
): Attempt {
  const data = { message: message.slice(0, MAX_LOGGED_CHARACTERS) }
  return { ok: false, status, retryAfterSeconds, response: { type: 'client_error', data } }
}

const MAX_LOGGED_CHARACTERS = 10_000

function deliveryRequest(
  receiver: WebhookReceiver,
  payload: object,
  environment: Environment,
): WebhookRequest {
  return {
    method: 'POST',
    url: fillInVariables(receiver.webhook, environment),
    headers: { ...configuredHeaders(receiver.headers, environment), ...DEFAULT_HEADERS },
    body: { json: payload },
  }
}

const DEFAULT_HEADERS = { 'Content-Type': 'application/json', 'User-Agent': USER_AGENT }

/** Returns the headers before the transformation for the log, without values of environment variables. */
function loggedHeaders(configured: readonly ConfiguredHeader[]): object[] {
  const defaults = Object.entries(DEFAULT_HEADERS).map(([name, value]) => ({ name, value }))
  const custom = configured.map(({ name, value, value_from_env }) =>
    value_from_env == null ? { name, value } : { name, value_from_env },
  )
  return [...defaults, ...custom]
}

/** Converts a reply to a result. Transforms only the body of a successful reply. */
function readReply(
  reply: OutgoingReply,
  transformedText: (reply: OutgoingReply) => string,
): Attempt {
  const { status, headers, text } = reply
  if (status < 200 || status >= 300)
    return failedAttempt(status, text, parseRetryAfter(headers['retry-after']))
  try {
    const data = {
      body: transformedText(reply).slice(0, MAX_LOGGED_CHARACTERS),
      headers: headerList(headers),
      status,
    }
    return { ok: true, status, retryAfterSeconds: null, response: { type: RESPONSE, data } }
  } catch (cause) {
    return failedAttempt(500, errorText(cause))
  }
}

const RESPONSE = 'webhook_response' as const

/** Returns the seconds in `Retry-After`; null if the header is missing, has a date, or has zero seconds. */
function parseRetryAfter(retryAfter: string | undefined): number | null {
  const seconds = retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : 0
  return seconds > 0 ? seconds : null
}

function errorText(cause: unknown): string {
  if (cause instanceof EngineError && cause.internal) return JSON.stringify(cause.internal)
  return cause instanceof Error ? cause.message : String(cause)
}
