import { z } from 'zod'
import type { Variables } from '../../compiler/plan/decision.ts'
import type { PlannedValidation } from '../../compiler/plan/plan-notes.ts'
import type { Config } from '../../config/config.ts'
import { EngineError } from '../../errors.ts'
import { jsonOrNull } from '../../json/json-or-null.ts'
import { fillInVariables } from '../../outgoing/environment.ts'
import { type OutgoingReply, sendRequest } from '../../outgoing/send-request.ts'
import { bodyText, type WebhookRequest } from '../../outgoing/transform/webhook-request.ts'
import type { Client } from '../../session/client.ts'
import type { Session } from '../../session/session.ts'
import { webhookHeaders } from './handler-headers.ts'

type ValidationCaller = { variables: Variables; session: Session; client: Client; config: Config }

/**
 * Validates a mutation's input with the webhook of a permission.
 *
 * @throws validation-failed with the webhook's message, `unexpected` if the webhook cannot be reached or its response is invalid
 */
export async function validateInput(
  validation: PlannedValidation,
  caller: ValidationCaller,
): Promise<void> {
  const request = validationRequest(validation, caller)
  const reply = await sendValidation(request, validation.webhook.timeoutMs)
  if (reply.status >= 200 && reply.status < 300) return
  if (reply.status === 400) throw new EngineError('validation-failed', messageOf(reply))
  throw new EngineError('unexpected', 'internal error when validating input data', {
    internal: `expecting 200 or 400 status code, but found ${reply.status}`,
  })
}

function validationRequest(
  { webhook, read }: PlannedValidation,
  { variables, session, client, config }: ValidationCaller,
): WebhookRequest {
  const { url, headers, forwardsClientHeaders } = webhook
  const json = {
    version: 1,
    role: session.role,
    session_variables: Object.fromEntries(session.variables),
    data: { input: read(variables) },
  }
  const settings = { headers, forward_client_headers: forwardsClientHeaders }
  return {
    method: 'POST',
    url: fillInVariables(url, config.environment),
    headers: webhookHeaders(settings, client, config),
    body: { json },
  }
}

async function sendValidation(request: WebhookRequest, timeoutMs: number): Promise<OutgoingReply> {
  try {
    const body = bodyText(request)
    return await sendRequest({ ...request, body, timeoutMs, isRepeatable: true })
  } catch (cause) {
    throw webhookUnreachable(cause)
  }
}

function webhookUnreachable(cause: unknown): EngineError {
  const message = cause instanceof Error ? cause.message : ''
  const internal = { type: 'http_exception', message }
  return new EngineError('unexpected', 'http exception when validating input data', {
    internal,
    cause,
  })
}

const Refusal = z.object({ message: z.string() })

/** Reads the webhook's message. */
function messageOf({ text }: OutgoingReply): string {
  const { data } = Refusal.safeParse(jsonOrNull(text))
  if (data) return data.message
  throw new EngineError('unexpected', 'received invalid response from input validation webhook')
}
