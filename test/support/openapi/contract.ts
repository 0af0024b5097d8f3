import type { IncomingMessage, ServerResponse } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

type Schema = { anyOf?: Schema[]; properties?: { code?: { enum?: string[] } } }
type Response = { content: Record<string, { schema: Schema }> }
type Operation = { responses: Record<string, Response> }

export type Answer = {
  method: string
  path: string
  status: number
  headers: Headers
  body: string
}

type Judgement = { name: string } | { fault: string }

type Options = {
  /** OpenAPI documents that together contain every path. */
  documents: readonly { [key: string]: unknown }[]
  /** True for paths of HTML pages, which are not part of the API. */
  isForPeople?(path: string): boolean
  /** True if every 401 must have `www-authenticate`. */
  isAlwaysChallenged: boolean
  /** True if a path with a trailing slash is another path. */
  isStrict: boolean
}

/** Returns functions that compare the responses of a server with its OpenAPI documents. */
export function createContract({
  documents,
  isForPeople = () => false,
  isAlwaysChallenged,
  isStrict,
}: Options) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const validators = new Map<object, ValidateFunction>()
  const items = documents.flatMap(({ paths }) => Object.entries(Object(paths)))
  const paths = [...Map.groupBy(items, ([template]) => template)].map(([template, same]) => ({
    template,
    operations: new Map<string, Operation>(
      same.flatMap(([, item]) => Object.entries(Object(item))),
    ),
    pattern: patternOf(template, isStrict),
  }))
  return { documented: listDocumentedResponses, judge, watch }

  /** Returns every documented response, as `GET /path 200` or `GET /path 404 not_found`. */
  function listDocumentedResponses(): Set<string> {
    const names = paths.flatMap(({ template, operations }) =>
      [...operations].flatMap(([method, { responses }]) =>
        Object.entries(responses).flatMap(([status, response]) =>
          outcomesOf(response).map((code) => nameOf(method, template, status, code)),
        ),
      ),
    )
    return new Set(names)
  }

  /** Returns the name of a documented response, or the fault of the response. */
  function judge(answer: Answer): Judgement {
    const { method, path, status, headers, body } = answer
    const at = `${method} ${path} ${status}`
    if (isForPeople(path) && status < 400) return { name: at }
    const fault = (reason: string) => ({ fault: `${at}: ${reason}: ${body.slice(0, 300)}` })
    if (!headers.get('x-request-id')) return fault('no request id')
    const item = paths.find(({ pattern }) => pattern.test(path))
    const code = codeOf(headers, body)
    if (!item) return isPathError(answer, code) ? { name: at } : fault('undocumented path')
    if (code === 'invalid_request' && /%/.test(path)) return { name: at }
    const operation = item.operations.get(method === 'HEAD' ? 'get' : method.toLowerCase())
    if (!operation)
      return status === 405 || status === 204 ? { name: at } : fault('undocumented method')
    // The client has the response in its cache.
    if (status === 304) return { name: at }
    const response = operation.responses[status]
    if (!response) return fault('undocumented status')
    const wrong = wrongBody(answer, response) ?? wrongHeaders(answer, code)
    return wrong ? fault(wrong) : { name: nameOf(method, item.template, status, code) }
  }

  function wrongBody({ method, headers, body }: Answer, { content }: Response): string | null {
    const type = headers.get('content-type')?.split(';')[0] ?? ''
    // Browsers do not show the body of a redirect.
    if (headers.has('location')) return null
    const media = content[type]
    if (!media) return `undocumented type ${type}`
    const isJson = type.endsWith('json') && !type.endsWith('graphql-response+json')
    if (isJson && method !== 'HEAD' && !matches(media.schema, body))
      return 'the body does not match the schema'
    return null
  }

  function wrongHeaders({ status, headers }: Answer, code: string | null): string | null {
    if (status === 401 && isAlwaysChallenged && !headers.get('www-authenticate'))
      return 'no www-authenticate header'
    if ([429, 503].includes(status) && code && !headers.get('retry-after'))
      return 'no retry-after header'
    if (status >= 400 && !headers.get('cache-control')?.includes('no-store'))
      return 'an error without cache-control: no-store'
    return null
  }

  function matches(schema: Schema, body: string): boolean {
    const validate = validators.get(schema) ?? ajv.compile(schema)
    validators.set(schema, validate)
    return validate(JSON.parse(body))
  }

  /** Returns a handler that checks each response. It adds faults to `faults`, and documented responses to `responses`. */
  function watch(faults: string[], responses: Set<string>) {
    return (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = []
      for (const name of ['write', 'end'] as const) {
        const send = response[name]
        const sendAndRecord = (...args: unknown[]) => {
          const [chunk] = args
          if (typeof chunk === 'string' || chunk instanceof Uint8Array)
            chunks.push(Buffer.from(chunk))
          return Reflect.apply(send, response, args)
        }
        Object.assign(response, { [name]: sendAndRecord })
      }
      // Reads method and URL first: a mounted router shortens the URL, and a middleware may change the method.
      const { method = '', url = '' } = request
      response.once('finish', () => {
        const headers = new Headers()
        for (const [name, value] of Object.entries(response.getHeaders()))
          headers.set(name, String(value))
        // A request line may contain a whole URL instead of a path.
        const [path = ''] = url.replace(/^[a-z]+:\/\/[^/?]*/i, '').split('?')
        const body = Buffer.concat(chunks).toString()
        const verdict = judge({ method, path, status: response.statusCode, headers, body })
        if ('fault' in verdict) faults.push(verdict.fault)
        else responses.add(verdict.name)
      })
    }
  }
}

/** Returns the pattern of a path. Without strict routing, an operation also handles a path without its last parameter. */
function patternOf(template: string, isStrict: boolean): RegExp {
  const parameter = isStrict ? '/[^/]+' : '(/[^/]*)?'
  return new RegExp(`^${template.replaceAll(/\/\{\w+\}/g, parameter)}${isStrict ? '' : '/?'}$`)
}

/** True if the response rejects the path: with a code, or with an HTML page for clients that prefer HTML. */
function isPathError({ status, headers }: Answer, code: string | null): boolean {
  const isPage = status === 404 && headers.get('content-type')?.startsWith('text/html')
  return isPage || code === 'not_found' || code === 'invalid_request'
}

function nameOf(method: string, template: string, status: number | string, code: string | null) {
  return [method.toUpperCase(), template, status, code].filter(Boolean).join(' ')
}

/** Returns the error codes of a response, and null for a content type without error codes. */
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
