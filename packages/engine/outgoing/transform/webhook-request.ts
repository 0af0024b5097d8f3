import type { OutgoingRequest } from '../send-request.ts'
import type { TemplateScope } from './kriti/evaluation.ts'
import { parseQuery } from './query-string.ts'

/** A request to a webhook, before or after its transformation. */
export type WebhookRequest = Pick<OutgoingRequest, 'method' | 'url'> & {
  headers: Record<string, string>
  /** `json` is serialised when it is sent; `text` is sent as it is, with a content type of its own. */
  body: { json: unknown } | { text: string } | null
}

/** The body as it is sent; null for none. */
export function bodyText({ body }: WebhookRequest): string | null {
  if (body === null) return null
  return 'text' in body ? body.text : JSON.stringify(body.json)
}

/** The body as logs and templates see it; null if it is not JSON. */
export function jsonBody({ body }: WebhookRequest): unknown {
  return body && 'json' in body ? body.json : null
}

/**
 * The names that templates of a request may use.
 *
 * @param baseUrl the configured address of the webhook
 * @throws TypeError if the address of the request is no URL
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
 * The value of `$request` in templates of an answer. As in Hasura, each part of the request has the names of all parts:
 * `$request.body.body` is the body, `$request.url.base_url` the address.
 */
export function describeRequestParts(scope: TemplateScope): TemplateScope {
  const names = Object.entries(scope).map(([name, value]) => [name.slice(1), value])
  const all: unknown = Object.fromEntries(names)
  return { method: all, url: all, body: all, query_params: all, request_headers: all }
}
