import type { IncomingMessage, ServerResponse } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { routes } from '../../../../webhooks/app.ts'
import { internalDocument, openApiDocument } from '../../../../webhooks/openapi/document.ts'

type Schema = { anyOf?: Schema[]; properties?: { code?: { enum?: string[] } } }
type Response = { content: Record<string, { schema: Schema }> }
type Operation = { responses: Record<string, Response> }

type Answer = { method: string; path: string; status: number; headers: Headers; body: string }

/** What `/openapi.json` says. */
export const document = openApiDocument(routes, { baseUrl: 'http://localhost' })
/** What `/hasura/openapi.json` says. */
export const internal = internalDocument(routes, { baseUrl: 'http://localhost' })

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const validators = new Map<object, ValidateFunction>()
const described = { ...Object(document.paths), ...Object(internal.paths) }
const paths = Object.entries(described).map(([template, item]) => ({
  template,
  operations: new Map<string, Operation>(Object.entries(Object(item))),
  // A missing last parameter is answered by the same operation.
  pattern: new RegExp(`^${template.replaceAll(/\/\{\w+\}/g, '(/[^/]*)?')}/?$`),
}))

/** Every answer that the document has, as `GET /path 200` or `GET /path 404 not_found`. */
export function documented(): Set<string> {
  const found = paths.flatMap(({ template, operations }) =>
    [...operations].flatMap(([method, { responses }]) =>
      Object.entries(responses).flatMap(([status, response]) =>
        outcomesOf(response).map((code) => nameOf(method, template, status, code)),
      ),
    ),
  )
  return new Set(found)
}

/** The name of an answer in the document, or what is wrong with it. */
export function judge(answer: Answer): { name: string } | { fault: string } {
  const { method, path, status, headers, body } = answer
  const at = `${method} ${path} ${status}`
  if (isForPeople(path) && status < 400) return { name: at }
  const fault = (what: string) => ({ fault: `${at}: ${what}: ${body.slice(0, 300)}` })
  if (!headers.get('x-request-id')) return fault('no request id')
  const item = paths.find(({ pattern }) => pattern.test(path))
  const code = codeOf(headers, body)
  if (!item) return isNoPath(answer, code) ? { name: at } : fault('path')
  if (code === 'invalid_request' && /%/.test(path)) return { name: at }
  const operation = item.operations.get(method === 'HEAD' ? 'get' : method.toLowerCase())
  if (!operation)
    return code === 'method_not_allowed' || status === 204 ? { name: at } : fault('method')
  // To somebody who has the answer already.
  if (status === 304) return { name: at }
  const response = operation.responses[status]
  if (!response) return fault('undocumented status')
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  const content = response.content[type]
  if (!content) return fault(`undocumented type ${type}`)
  if (type === 'application/json' && method !== 'HEAD' && !matches(content.schema, body))
    return fault('not of the documented form')
  if (status === 401 && !headers.get('www-authenticate')) return fault('no word of what is wanted')
  if ([429, 503].includes(status) && code && !headers.get('retry-after'))
    return fault('no word of when to try again')
  if (status >= 400 && headers.get('cache-control') !== 'no-store')
    return fault('an error that caches may keep')
  return { name: nameOf(method, item.template, status, code) }
}

/** Who prefers HTML is told on a page. */
function isNoPath({ status, headers }: Answer, code: string | null): boolean {
  const isPage = status === 404 && headers.get('content-type')?.startsWith('text/html')
  return isPage || code === 'not_found' || code === 'invalid_request'
}

/** The portal and the page about the local platform are no part of the API. */
function isForPeople(path: string): boolean {
  return /^\/($|assets\/|local$|log-in$|sign-up$|forgot-password$|account$|new-team$|teams\/)/.test(
    path,
  )
}

/** Checks every answer of a server; `faults` are those that the document does not have. */
export function watch(faults: string[], seen: Set<string>) {
  return (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for (const name of ['write', 'end'] as const) {
      const send = response[name]
      const kept = (...args: unknown[]) => {
        const [chunk] = args
        if (typeof chunk === 'string' || chunk instanceof Uint8Array)
          chunks.push(Buffer.from(chunk))
        return Reflect.apply(send, response, args)
      }
      Object.assign(response, { [name]: kept })
    }
    // A router that is mounted at a path takes the path away from it meanwhile.
    const { method = '', url = '' } = request
    response.once('finish', () => {
      const headers = new Headers()
      for (const [name, value] of Object.entries(response.getHeaders()))
        headers.set(name, String(value))
      const [path = ''] = url.split('?')
      const body = Buffer.concat(chunks).toString()
      const verdict = judge({ method, path, status: response.statusCode, headers, body })
      if ('fault' in verdict) faults.push(verdict.fault)
      else seen.add(verdict.name)
    })
  }
}

function nameOf(method: string, template: string, status: number | string, code: string | null) {
  return [method.toUpperCase(), template, status, code].filter(Boolean).join(' ')
}

/** Each code, and null for an answer without one. */
function outcomesOf({ content }: Response): (string | null)[] {
  const schemas = Object.entries(content).flatMap(([type, { schema }]) =>
    type === 'application/json' ? (schema.anyOf ?? [schema]) : [{}],
  )
  const codes = schemas.flatMap((schema) => schema.properties?.code?.enum ?? [null])
  return [...new Set(codes)]
}

function codeOf(headers: Headers, body: string): string | null {
  if (!headers.get('content-type')?.startsWith('application/json') || !body) return null
  return Object(JSON.parse(body)).code ?? null
}

function matches(schema: Schema, body: string): boolean {
  const validate = validators.get(schema) ?? ajv.compile(schema)
  validators.set(schema, validate)
  return validate(JSON.parse(body))
}
