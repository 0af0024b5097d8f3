import { parseExactJson } from '../../../../lib/runtime/exact-json.ts'
import type { Config } from '../../config/config.ts'
import { EngineError } from '../../errors.ts'
import { fillInVariables } from '../../outgoing/environment.ts'
import { headerList, type OutgoingReply, sendRequest } from '../../outgoing/send-request.ts'
import { requestTransform } from '../../outgoing/transform/request-transform.ts'
import { responseTransform } from '../../outgoing/transform/response-transform.ts'
import {
  bodyText,
  jsonBody,
  requestScope,
  type WebhookRequest,
} from '../../outgoing/transform/webhook-request.ts'
import type { HandlerCall, HandlerExchange } from './handler-call.ts'
import { handlerError } from './handler-error.ts'
import { webhookHeaders } from './handler-headers.ts'

/** The handler's response. `cookies` are the values of `Set-Cookie` for the client. */
export type HandlerAnswer = {
  value: unknown
  cookies: readonly string[]
  exchange: HandlerExchange
}

/**
 * Calls the handler of an action.
 *
 * @throws HandlerError with the handler's error, `parse-failed` if that error has the wrong shape, `unexpected` if the handler
 * cannot be reached or its response is invalid
 */
export async function callHandler(call: HandlerCall, config: Config): Promise<HandlerAnswer> {
  const { definition } = call.action.metadata
  const original = handlerRequest(call, config)
  const transform = definition.request_transform && requestTransform(definition.request_transform)
  const outgoing = transform ? transform(original, call.sessionVariables) : original
  const request = describeRequest(call, original, transform ? outgoing : null)
  const reply = await sendToHandler(outgoing, (definition.timeout ?? 30) * 1000, request)
  const body = parseHandlerJson(reply.text)
  const exchange = { request, response: describeReply(reply, body ? body.json : reply.text) }
  const session = call.sessionVariables
  const value = definition.response_transform
    ? responseTransform(definition.response_transform)({
        status: reply.status,
        body: body?.json ?? null,
        session,
        request: transform ? requestScope(outgoing, original.url, session) : null,
      })
    : body?.json
  if (value === undefined) throw handlerJsonInvalid(exchange)
  if (reply.status < 200 || reply.status >= 300) throw handlerError(reply.status, value, exchange)
  return { value, cookies: reply.headers['set-cookie'] ?? [], exchange }
}

function handlerRequest(call: HandlerCall, config: Config): WebhookRequest {
  const { name, definition } = call.action.metadata
  const json = {
    action: { name },
    session_variables: call.sessionVariables,
    input: call.input,
    request_query: call.query,
  }
  return {
    method: 'POST',
    url: fillInVariables(definition.handler, config.environment),
    headers: webhookHeaders(definition, call, config),
    body: { json },
  }
}

async function sendToHandler(outgoing: WebhookRequest, timeoutMs: number, request: object) {
  try {
    const body = bodyText(outgoing)
    return await sendRequest({ ...outgoing, body, timeoutMs, isRepeatable: false })
  } catch (cause) {
    throw handlerUnreachable(cause, request)
  }
}

function handlerUnreachable(cause: unknown, request: object): EngineError {
  const error = { type: 'http_exception', message: cause instanceof Error ? cause.message : '' }
  const internal = { error, request, response: null }
  return new EngineError('unexpected', 'http exception when calling webhook', { internal, cause })
}

function parseHandlerJson(text: string): { json: unknown } | null {
  try {
    return { json: parseExactJson(text) }
  } catch {
    return null
  }
}

function handlerJsonInvalid(exchange: HandlerExchange): EngineError {
  const internal = { error: 'invalid json', ...exchange }
  return new EngineError('unexpected', 'not a valid json response from webhook', { internal })
}

/** Describes the request, for the `internal` part of an error. */
function describeRequest(
  { action }: HandlerCall,
  original: WebhookRequest,
  transformed: WebhookRequest | null,
) {
  const { handler, headers } = action.metadata.definition
  return {
    url: handler,
    headers,
    body: jsonBody(original),
    transformed_request: transformed && {
      method: transformed.method,
      url: transformed.url,
      body: jsonBody(transformed),
    },
  }
}

function describeReply({ status, headers }: OutgoingReply, body: unknown) {
  return { status, headers: headerList(headers), body }
}
