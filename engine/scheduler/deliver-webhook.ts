import { parseExactJson } from '../../lib/exact-json.ts'
import type { Config } from '../config.ts'
import {
  type ConfiguredHeader,
  configuredHeaders,
  type Environment,
  fillIn,
} from '../outgoing/environment.ts'
import { call, headerList, type OutgoingReply } from '../outgoing/send-request.ts'
import type { Scope } from '../transform/kriti-functions.ts'
import {
  requestTransform,
  shownBody,
  type WebhookRequest,
  written,
} from '../transform/request-transform.ts'
import { responseTransform } from '../transform/response-transform.ts'
import { USER_AGENT } from '../version.ts'

/** Where and how a message is delivered. */
export type Receiver = {
  webhook: string
  headers: readonly ConfiguredHeader[]
  timeoutSeconds: number
  requestTransform: unknown
  responseTransform: unknown
}

/** What is delivered. */
export type Message = {
  payload: object
  /** The session variables of who made the change, for templates; null if the message is about no change. */
  session: Scope | null
  /** The version of the log's format: Hasura uses 2 for event triggers, 1 for scheduled events. */
  version: '1' | '2'
}

/** The result of a delivery. */
export type Delivered = {
  ok: boolean
  /** From the receiver's `Retry-After`; null without one. */
  retryAfterSeconds: number | null
  /** Null if the transformation failed: there was no call, and trying again would not help. */
  invocation: Invocation | null
}

/** An entry of the invocation log; the status is null if there was no answer. */
export type Invocation = { status: number | null; request: object; response: object }

/** Sends a message to a webhook. It never throws: failures are part of the result. */
export async function deliver(
  receiver: Receiver,
  { payload, session, version }: Message,
  { environment }: Config,
): Promise<Delivered> {
  let body: unknown = payload
  const answer = await attempt().catch((cause: unknown): Answer => refused(null, textOf(cause)))
  if (answer === null) return { ok: false, retryAfterSeconds: null, invocation: null }
  const { ok, status, retryAfterSeconds, response } = answer
  const request = { version, payload: body, headers: shownHeaders(receiver.headers) }
  return {
    ok,
    retryAfterSeconds,
    invocation: { status, request, response: { version, ...response } },
  }

  async function attempt(): Promise<Answer | null> {
    const original = requestOf(receiver, payload, environment)
    const sent = transformed(receiver.requestTransform, original, session)
    if (sent === null) return null
    body = shownBody(sent)
    const reply = await call({
      ...sent,
      body: written(sent),
      timeoutMs: receiver.timeoutSeconds * 1000,
      repeatable: true,
    })
    return answerOf(receiver.responseTransform, reply, {
      $base_url: sent.url,
      $session_variables: session,
    })
  }
}

/** The result of a request, with its form in the log. */
type Answer = Omit<Delivered, 'invocation'> & {
  status: number | null
  response: { type: 'webhook_response' | 'client_error'; data: object }
}

function refused(
  status: number | null,
  message: string,
  retryAfterSeconds: number | null = null,
): Answer {
  const data = { message: message.slice(0, LONGEST_LOGGED) }
  return { ok: false, status, retryAfterSeconds, response: { type: 'client_error', data } }
}

const LONGEST_LOGGED = 10_000

function requestOf(receiver: Receiver, payload: object, environment: Environment): WebhookRequest {
  return {
    method: 'POST',
    url: fillIn(receiver.webhook, environment),
    headers: { ...configuredHeaders(receiver.headers, environment), ...DEFAULT_HEADERS },
    body: { json: payload },
  }
}

const DEFAULT_HEADERS = { 'Content-Type': 'application/json', 'User-Agent': USER_AGENT }

/** The headers of a request as they are configured, so that the log contains no secrets. */
function shownHeaders(configured: readonly ConfiguredHeader[]): object[] {
  const defaults = Object.entries(DEFAULT_HEADERS).map(([name, value]) => ({ name, value }))
  const own = configured.map(({ name, value, value_from_env }) =>
    value_from_env == null ? { name, value } : { name, value_from_env },
  )
  return [...defaults, ...own]
}

/** The transformed request; null if the transformation fails, as it then would each time. */
function transformed(definition: unknown, original: WebhookRequest, session: Scope | null) {
  if (definition == null) return original
  try {
    return requestTransform(definition)(original, session)
  } catch {
    return null
  }
}

/** The result for a reply: a success is transformed, a failure is logged as it came. */
function answerOf(definition: unknown, { status, headers, text }: OutgoingReply, scope: Scope) {
  if (status < 200 || status >= 300) return refused(status, text, secondsOf(headers['retry-after']))
  try {
    const body =
      definition == null
        ? text
        : JSON.stringify(responseTransform(definition)({ status, body: jsonOf(text) }, scope))
    const data = { body: body.slice(0, LONGEST_LOGGED), headers: headerList(headers), status }
    return { ok: true, status, retryAfterSeconds: null, response: { type: RESPONSE, data } }
  } catch (cause) {
    return refused(500, textOf(cause))
  }
}

const RESPONSE = 'webhook_response' as const

function jsonOf(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return null
  }
}

/** The seconds in `Retry-After`; null unless they are more than zero. */
function secondsOf(retryAfter: string | undefined): number | null {
  const seconds = retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : 0
  return seconds > 0 ? seconds : null
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
