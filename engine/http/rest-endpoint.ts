import { Kind, type TypeNode, type VariableDefinitionNode } from 'graphql/language/index.js'
import { EngineError } from '../errors.ts'
import type { RestEndpoint } from '../model/rest-endpoints.ts'
import { run } from '../run/run.ts'
import { metadataError } from '../session/render-error.ts'
import { guarded } from './authenticated-endpoint.ts'
import { type Exchange, failure, json } from './endpoint.ts'
import { parseJson } from './request-body.ts'

/** The prefix of all REST endpoints. */
export const REST = '/api/rest/'

/** Any method on /api/rest/…: a saved query with variables from the path, the query string and the body. */
export const restEndpoint = guarded({
  read(exchange, text) {
    if (text === '') return null
    return isForm(exchange) ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text)
  },
  async answer({ exchange, body, session, services: { engine } }) {
    const { endpoint, values } = match(engine.snapshot().model.restEndpoints, exchange)
    const given = {
      ...inBody(body),
      ...texts(endpoint, exchange.search()),
      ...texts(endpoint, values),
    }
    const declared = new Set(endpoint.operation.variableDefinitions?.map(nameOf))
    const unexpected = Object.keys(given).find((name) => !declared.has(name))
    if (unexpected !== undefined) {
      throw new EngineError('bad-request', `Unexpected variable ${unexpected}`)
    }
    const request = { query: endpoint.query, operationName: null, variables: given }
    const answer = await run(engine, request, session, exchange.client)
    return json(content(answer.body), answer.cookies)
  },
  refuse: (error, audience) =>
    failure(error.status, JSON.stringify(metadataError(error, audience))),
})

type Match = { endpoint: RestEndpoint; values: Iterable<[string, string]> }

function match(endpoints: readonly RestEndpoint[], { path, method }: Exchange): Match {
  const parts = path.slice(REST.length).split('/').map(decode)
  const fitting = endpoints.filter((endpoint) => fits(endpoint, parts))
  if (fitting.length === 0) throw new EngineError('not-found', 'Endpoint not found')
  const endpoint = fitting.find(({ methods }) => methods.has(method))
  if (!endpoint) {
    const allowed = fitting.flatMap(({ methods }) => [...methods]).sort()
    throw new EngineError('method-not-allowed', `Allowed methods: ${allowed.join(', ')}`)
  }
  const values = endpoint.segments.flatMap(({ kind, name }, i): [string, string][] =>
    kind === 'variable' ? [[name, parts[i] ?? '']] : [],
  )
  return { endpoint, values }
}

function fits({ segments }: RestEndpoint, parts: readonly string[]): boolean {
  return (
    segments.length === parts.length &&
    segments.every(({ kind, name }, i) => kind === 'variable' || name === parts[i])
  )
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (cause) {
    throw badPath(cause)
  }
}

function badPath(cause: unknown): EngineError {
  return new EngineError('bad-request', 'the path is not URL-encoded', { cause })
}

function isForm({ client }: Exchange): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(client.headers['content-type'] ?? '')
}

function inBody(body: unknown): object {
  if (body === null) return {}
  if (typeof body === 'object' && !Array.isArray(body)) return body
  throw new EngineError('bad-request', 'the body must be an object of variables')
}

/** Reads variables that came as text by their declared types. */
function texts({ operation }: RestEndpoint, given: Iterable<[string, string]>) {
  const types = new Map(
    operation.variableDefinitions?.map((variable) => [nameOf(variable), variable.type]),
  )
  return Object.fromEntries(
    [...given].map(([name, text]) => {
      const type = types.get(name)
      return [name, type ? read(name, text, type) : text]
    }),
  )
}

function nameOf({ variable }: VariableDefinitionNode): string {
  return variable.name.value
}

const TEXTS: ReadonlySet<string> = new Set(['String', 'ID', 'uuid'])

function read(name: string, text: string, type: TypeNode): unknown {
  const required = type.kind === Kind.NON_NULL_TYPE
  const bare = required ? type.type : type
  if (bare.kind === Kind.LIST_TYPE) {
    throw new EngineError(
      'bad-request',
      `Type of URL parameter for variable ${name} not supported - Consider putting it in the request body`,
    )
  }
  if (TEXTS.has(bare.name.value)) return text
  if (text === '' && bare.name.value === 'Boolean') return true
  if (text === '' && !required) return null
  return LITERAL.test(text) ? JSON.parse(text) : text
}

/** Texts that are read as JSON: booleans, null, and numbers that a double holds exactly. Others stay texts. */
const LITERAL = /^(true|false|null|-?(0|[1-9]\d{0,14})(\.\d{1,6})?)$/

/** The answer without its envelope. */
function content(body: string): string {
  return body.slice('{"data":'.length, -1)
}
