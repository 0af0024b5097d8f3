import { z } from 'zod'
import { BodyDefinition, bodyTransform } from './body-transform.ts'
import { fillTemplates } from './fill-templates.ts'
import type { TemplateScope } from './kriti/evaluation.ts'
import { textTemplate } from './kriti/template.ts'
import { TemplateError } from './kriti/template-error.ts'
import { parseQuery, type QueryParameter, withQuery } from './query-string.ts'
import { requestScope, type WebhookRequest } from './webhook-request.ts'

/**
 * Transforms a request before it is sent.
 *
 * @throws unexpected, if a template cannot be evaluated
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
  query_params: z.union([z.string(), z.record(z.string(), z.string().nullable())]).nullish(),
  request_headers: z
    .object({ add_headers: Texts.default({}), remove_headers: z.array(z.string()).default([]) })
    .nullish(),
  body: BodyDefinition.nullish(),
})

/**
 * Reads a `request_transform` of the metadata.
 *
 * @throws TemplateError or ZodError if it cannot be read
 */
export function requestTransform(definition: unknown): RequestTransform {
  const parts = Definition.parse(definition)
  const [url, queryParams, headers] = [
    urlTransform(parts),
    queryTransform(parts),
    headersTransform(parts),
  ]
  const body = parts.body == null ? null : bodyTransform(parts.body)
  return (request, session) =>
    fillTemplates('Request', () => {
      const scope = requestScope(request, request.url, session)
      return {
        method: parts.method ?? request.method,
        url: queryParams(url(request.url, scope), scope),
        headers: headers(request.headers, scope),
        body: body ? body(scope) : request.body,
      }
    })
}

type Parts = z.infer<typeof Definition>

function urlTransform({ url }: Parts): (original: string, scope: TemplateScope) => string {
  if (url == null) return (original) => original
  const template = textTemplate('url', url)
  return (_original, scope) => {
    const newUrl = template(scope)
    if (URL.canParse(newUrl)) return newUrl
    throw new TemplateError(
      { name: 'url', text: url },
      { code: 'TransformationError', reason: `Invalid URL: ${newUrl}`, quotesValue: true },
    )
  }
}

/**
 * Creates the function that replaces all parameters of the URL. The definition has one template for all parameters, or a map of
 * templates. A parameter of the map is omitted if the text of its name or value is `null`. If the definition has null instead of
 * a template, the parameter is written without a value.
 */
function queryTransform({ query_params }: Parts): (url: string, scope: TemplateScope) => string {
  if (query_params == null) return (url) => url
  if (typeof query_params === 'string') {
    const template = textTemplate('query_params', query_params)
    return (url, scope) => withQuery(url, parseQuery(template(scope)))
  }
  const templates = Object.entries(query_params).map(
    ([name, value]) =>
      [
        textTemplate('query_params', name),
        value === null ? null : textTemplate(`query parameter ${name}`, value),
      ] as const,
  )
  return (url, scope) => {
    const parameters = templates.map(
      ([name, value]): QueryParameter => [name(scope), value?.(scope) ?? null],
    )
    return withQuery(
      url,
      parameters.filter((parameter) => !parameter.includes('null')),
    )
  }
}

function headersTransform({ request_headers, content_type }: Parts) {
  const { add_headers = {}, remove_headers = [] } = request_headers ?? {}
  const headerTemplates = Object.entries(add_headers).map(
    ([name, template]) => [name, textTemplate(`header ${name}`, template)] as const,
  )
  const removedNames = new Set([...remove_headers, ...Object.keys(add_headers)].map(toLowerCase))
  return (original: Record<string, string>, scope: TemplateScope): Record<string, string> => {
    const oldHeaders = Object.entries(original).filter(
      ([name]) => !removedNames.has(toLowerCase(name)),
    )
    const newHeaders = headerTemplates.map(([name, template]) => [name, template(scope)] as const)
    const type = content_type ? [['Content-Type', content_type] as const] : []
    return Object.fromEntries([...oldHeaders, ...type, ...newHeaders])
  }
}

function toLowerCase(text: string): string {
  return text.toLowerCase()
}
