import { z } from 'zod'
import { EngineError } from '../errors.ts'
import type { OutgoingRequest } from '../outgoing/send-request.ts'
import { jsonTemplate, textTemplate } from './kriti.ts'
import type { TemplateScope } from './kriti-functions.ts'

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

/** The body as logs show it; null if it is not JSON. */
export function loggedBody({ body }: WebhookRequest): unknown {
  return body && 'json' in body ? body.json : null
}

/**
 * Changes a request before it is sent; `session` may be null.
 *
 * @throws unexpected, when a template cannot be filled in
 */
export type RequestTransform = (
  request: WebhookRequest,
  session: TemplateScope | null,
) => WebhookRequest

const Texts = z.record(z.string(), z.string())

const Definition = z.object({
  method: z.string().nullish(),
  url: z.string().nullish(),
  content_type: z.string().nullish(),
  query_params: z.union([z.string(), Texts]).nullish(),
  request_headers: z
    .object({ add_headers: Texts.default({}), remove_headers: z.array(z.string()).default([]) })
    .nullish(),
  body: z
    .union([
      z.string().transform((template) => ({ action: 'transform' as const, template })),
      z.object({ action: z.literal('transform'), template: z.string() }),
      z.object({ action: z.literal('remove') }),
      z.object({ action: z.literal('x_www_form_urlencoded'), form_template: Texts }),
    ])
    .nullish(),
})

/**
 * Reads a `request_transform` of the metadata.
 *
 * @throws TemplateError or ZodError when it cannot be read
 */
export function requestTransform(definition: unknown): RequestTransform {
  const parts = Definition.parse(definition)
  const [url, queryParams, headers, body] = [
    urlTransform(parts),
    queryTransform(parts),
    headersTransform(parts),
    bodyTransform(parts),
  ]
  return (request, session) => {
    const scope = requestScope(request, session)
    return fillTemplates('Request', () => ({
      method: parts.method ?? request.method,
      url: queryParams(url(request.url, scope), scope),
      headers: headers(request.headers, scope),
      body: body(request.body, scope),
    }))
  }
}

/** The names that templates of a request may use. */
function requestScope(
  { url, method, body }: WebhookRequest,
  session: TemplateScope | null,
): TemplateScope {
  return {
    $body: body && 'json' in body ? body.json : null,
    $base_url: url,
    $session_variables: session,
    $query_params: Object.fromEntries(new URL(url).searchParams),
    $request: { method, url },
  }
}

type Parts = z.infer<typeof Definition>

function urlTransform({ url }: Parts): (given: string, scope: TemplateScope) => string {
  if (url == null) return (given) => given
  return (_given, scope) => textTemplate(url)(scope)
}

/** Adds query parameters to those of the URL, except those whose template gives null. */
function queryTransform({ query_params }: Parts): (url: string, scope: TemplateScope) => string {
  if (query_params == null) return (url) => url
  if (typeof query_params === 'string') {
    const template = textTemplate(query_params)
    return (url, scope) => withParams(url, new URLSearchParams(template(scope)))
  }
  const templates = Object.entries(query_params).map(
    ([name, template]) => [textTemplate(name), textTemplate(template)] as const,
  )
  return (url, scope) => {
    const filled = templates.map(([name, value]) => [name(scope), value(scope)] as const)
    return withParams(
      url,
      filled.filter(([name, value]) => name !== '' && value !== 'null'),
    )
  }
}

function withParams(url: string, params: Iterable<readonly [string, string]>): string {
  const changed = new URL(url)
  for (const [name, value] of params) changed.searchParams.set(name, value)
  return changed.href
}

function headersTransform({ request_headers, content_type }: Parts) {
  const { add_headers = {}, remove_headers = [] } = request_headers ?? {}
  const added = Object.entries(add_headers).map(
    ([name, template]) => [name, textTemplate(template)] as const,
  )
  const removed = new Set([...remove_headers, ...Object.keys(add_headers)].map(lowerCase))
  return (given: Record<string, string>, scope: TemplateScope): Record<string, string> => {
    const kept = Object.entries(given).filter(([name]) => !removed.has(lowerCase(name)))
    const filled = added.map(([name, template]) => [name, template(scope)] as const)
    const type = content_type ? [['Content-Type', content_type] as const] : []
    return Object.fromEntries([...kept, ...type, ...filled])
  }
}

function lowerCase(text: string): string {
  return text.toLowerCase()
}

type Body = WebhookRequest['body']

function bodyTransform({ body }: Parts): (given: Body, scope: TemplateScope) => Body {
  if (body == null) return (given) => given
  switch (body.action) {
    case 'remove':
      return () => null
    case 'transform': {
      const template = jsonTemplate(body.template)
      return (_given, scope) => ({ json: template(scope) })
    }
    case 'x_www_form_urlencoded': {
      // As in Hasura, sorted by name.
      const names = Object.keys(body.form_template).toSorted()
      const fields = names.map(
        (name) => [name, textTemplate(body.form_template[name] ?? '')] as const,
      )
      return (_given, scope) => ({
        text: new URLSearchParams(
          fields.map(([name, template]): [string, string] => [name, template(scope)]),
        ).toString(),
      })
    }
  }
}

/** Runs the templates of a request or a response. @throws unexpected, with a reason that only admin sees */
export function fillTemplates<T>(what: 'Request' | 'Response', fill: () => T): T {
  try {
    return fill()
  } catch (cause) {
    throw transformationError(what, cause)
  }
}

function transformationError(what: string, cause: unknown): EngineError {
  const internal = { error: cause instanceof Error ? cause.message : String(cause) }
  return new EngineError('unexpected', `${what} Transformation Failed`, { internal, cause })
}
