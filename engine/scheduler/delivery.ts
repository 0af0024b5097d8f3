import type { Config } from '../config.ts'
import { type ConfiguredHeader, configuredHeaders, fillIn } from '../environment.ts'
import { call } from '../outgoing-call.ts'
import { requestTransform, type WebhookRequest } from '../transform/request-transform.ts'
import { USER_AGENT } from '../version.ts'

/** Where and how something is delivered. */
export type Receiver = {
  webhook: string
  headers: readonly ConfiguredHeader[]
  timeoutSeconds: number
  requestTransform: unknown
}

/** How a delivery went; `request` and `response` are for the log of invocations. */
export type Delivered = {
  ok: boolean
  status: number | null
  /** From `Retry-After`, when the receiver wants to be asked again. */
  retryAfterSeconds: number | null
  request: object
  response: object
}

/** Posts a payload to a webhook; whatever goes wrong is part of the result. */
export async function deliver(
  receiver: Receiver,
  payload: object,
  { environment }: Config,
): Promise<Delivered> {
  const headers = receiver.headers.map(({ name, value }) => ({ name, value: value ?? null }))
  const request = { version: '2', payload, headers }
  try {
    const sent = transformed(receiver, {
      method: 'POST',
      url: fillIn(receiver.webhook, environment),
      headers: {
        ...configuredHeaders(receiver.headers, environment),
        'Content-Type': 'application/json',
        'User-Agent': USER_AGENT,
      },
      body: { json: payload },
    })
    const reply = await call({
      ...sent,
      body: written(sent.body),
      timeoutMs: receiver.timeoutSeconds * 1000,
      repeatable: true,
    })
    const data = { status: reply.status, body: reply.text.slice(0, LONGEST_LOGGED) }
    return {
      ok: reply.status >= 200 && reply.status < 300,
      status: reply.status,
      retryAfterSeconds: secondsOf(reply.headers['retry-after']),
      request,
      response: { type: 'webhook_response', version: '2', data },
    }
  } catch (cause) {
    const data = { message: cause instanceof Error ? cause.message : String(cause) }
    const response = { type: 'client_error', version: '2', data }
    return { ok: false, status: null, retryAfterSeconds: null, request, response }
  }
}

const LONGEST_LOGGED = 10_000

function transformed({ requestTransform: definition }: Receiver, request: WebhookRequest) {
  return definition == null ? request : requestTransform(definition)(request, {})
}

function written(body: WebhookRequest['body']): string | null {
  if (body === null) return null
  return 'text' in body ? body.text : JSON.stringify(body.json)
}

function secondsOf(retryAfter: string | undefined): number | null {
  return retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null
}
