import type { OutgoingRequest } from '../send-request.ts'
import type { TemplateScope } from './kriti/evaluation.ts'
import { parseQuery } from './query-string.ts'

/** A request to a webhook, before or after its transformation. */
export type WebhookRequest = Pick<OutgoingRequest, 'method' | 'url'> & {
  headers: Record<string, string>
  /** `json` is serialised for sending. `text`, a form, is sent unchanged. */
  body: { json: unknown } | { text: string } | null
}

/** Returns the text of the body; null for none. */
export function bodyText({ body }: WebhookRequest): string | null {
  if (body === null) return null
  return 'text' in body ? body.text : JSON.stringify(body.json)
}

/** Returns the body for logs and templates; null if it is not JSON. */
export function jsonBody({ body }: WebhookRequest): unknown {
  return body && 'json' in body ? body.json : null
}

/**
 * Returns the scope of a request's templates.
 *
 * @param baseUrl the configured address of the webhook
 * @throws TypeError if the address of the request is not a URL
 */
export function requestScope(
  request: WebhookRequest,
  baseUrl: string,
  session: TemplateScope | null,
): TemplateScope {
  return {
    $body: jsonBody(request),
    $base_url: baseUrl,
    $session_variables: session,
    $query_params: parseQuery(new URL(request.url).search),
  }
}

/**
 * Returns the value of `$request` in templates of a response. Like Hasura, gives each part of the request the names of all parts:
 * `$request.body.body` is the body, `$request.url.base_url` the address.
 */
export function describeRequestParts(scope: TemplateScope): TemplateScope {
  const names = Object.entries(scope).map(([name, value]) => [name.slice(1), value])
  const all: unknown = Object.fromEntries(names)
  return { method: all, url: all, body: all, query_params: all, request_headers: all }
}
