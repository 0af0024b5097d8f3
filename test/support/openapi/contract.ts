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
  /** OpenAPI documents, which together have every path. */
  documents: readonly { [key: string]: unknown }[]
  /** Paths that are no part of the API. */
  isForPeople?(path: string): boolean
  /** Whether every 401 says which credentials are wanted. */
  isAlwaysChallenged: boolean
  /** Whether a slash at the end makes another path. */
  isStrict: boolean
}

/** Compares a server's answers with its description. */
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
  return { documented, judge, watch }

  /** Every answer that the documents have, as `GET /path 200` or `GET /path 404 not_found`. */
  function documented(): Set<string> {
    const found = paths.flatMap(({ template, operations }) =>
      [...operations].flatMap(([method, { responses }]) =>
        Object.entries(responses).flatMap(([status, response]) =>
          outcomesOf(response).map((code) => nameOf(method, template, status, code)),
        ),
      ),
    )
    return new Set(found)
  }

  /** The name of an answer in the documents, or what is wrong with it. */
  function judge(answer: Answer): Judgement {
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
    if (!operation) return status === 405 || status === 204 ? { name: at } : fault('method')
    // To somebody who has the answer already.
    if (status === 304) return { name: at }
    const response = operation.responses[status]
    if (!response) return fault('undocumented status')
    const wrong = wrongBody(answer, response) ?? wrongHeaders(answer, code)
    return wrong ? fault(wrong) : { name: nameOf(method, item.template, status, code) }
  }

  function wrongBody({ method, headers, body }: Answer, { content }: Response): string | null {
    const type = headers.get('content-type')?.split(';')[0] ?? ''
    // The body of a redirect is a line for people, which no browser shows.
    if (headers.has('location')) return null
    const media = content[type]
    if (!media) return `undocumented type ${type}`
    const isJson = type.endsWith('json') && !type.endsWith('graphql-response+json')
    if (isJson && method !== 'HEAD' && !matches(media.schema, body))
      return 'not of the documented form'
    return null
  }

  function wrongHeaders({ status, headers }: Answer, code: string | null): string | null {
    if (status === 401 && isAlwaysChallenged && !headers.get('www-authenticate'))
      return 'no word of what is wanted'
    if ([429, 503].includes(status) && code && !headers.get('retry-after'))
      return 'no word of when to try again'
    if (status >= 400 && !headers.get('cache-control')?.includes('no-store'))
      return 'an error that caches may keep'
    return null
  }

  function matches(schema: Schema, body: string): boolean {
    const validate = validators.get(schema) ?? ajv.compile(schema)
    validators.set(schema, validate)
    return validate(JSON.parse(body))
  }

  /** Checks every answer of a server; `faults` are those that the documents do not have. */
  function watch(faults: string[], seen: Set<string>) {
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
      // A router that is mounted at a path takes the path away from it meanwhile, and a step may change the method.
      const { method = '', url = '' } = request
      response.once('finish', () => {
        const headers = new Headers()
        for (const [name, value] of Object.entries(response.getHeaders()))
          headers.set(name, String(value))
        // A request line may name a host.
        const [path = ''] = url.replace(/^[a-z]+:\/\/[^/?]*/i, '').split('?')
        const body = Buffer.concat(chunks).toString()
        const verdict = judge({ method, path, status: response.statusCode, headers, body })
        if ('fault' in verdict) faults.push(verdict.fault)
        else seen.add(verdict.name)
      })
    }
  }
}

/** A last parameter that is missing is answered by the same operation, unless the router is strict. */
function patternOf(template: string, isStrict: boolean): RegExp {
  const parameter = isStrict ? '/[^/]+' : '(/[^/]*)?'
  return new RegExp(`^${template.replaceAll(/\/\{\w+\}/g, parameter)}${isStrict ? '' : '/?'}$`)
}

/** Who prefers HTML is told on a page. */
function isNoPath({ status, headers }: Answer, code: string | null): boolean {
  const isPage = status === 404 && headers.get('content-type')?.startsWith('text/html')
  return isPage || code === 'not_found' || code === 'invalid_request'
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
