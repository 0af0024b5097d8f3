import { Kind, type TypeNode, type VariableDefinitionNode } from 'graphql/language/index.js'
import { parseExactJson } from '../../../../lib/runtime/exact-json.ts'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import type { RestEndpoint } from '../../compiler/model/rest-endpoints.ts'
import { EngineError } from '../../errors.ts'
import { exactJsonOrNull } from '../../json/json-or-null.ts'
import { isRecord } from '../../json/record.ts'
import { answerOperation } from '../../runtime/run/run.ts'
import { renderMetadataError } from '../../session/render-error.ts'
import { authenticatedEndpoint } from './authenticated-endpoint.ts'
import { type EndpointRequest, errorReply, jsonReply } from './endpoint.ts'

/** The prefix of all REST endpoints. */
export const REST_PATH = '/api/rest/'

/**
 * GET, POST, PUT, PATCH and DELETE under /api/rest/: run a saved query with the variables of the path, the query string and the
 * body.
 */
export const restEndpoint = authenticatedEndpoint({
  isGraphql: true,
  parseBody(request, text) {
    return isFormRequest(request)
      ? Object.fromEntries(new URLSearchParams(text))
      : exactJsonOrNull(text)
  },
  async answer({ request, body, session, services: { engine } }) {
    const { endpoint, values } = matchEndpoint(engine.schemaCache().model.restEndpoints, request)
    const variables = {
      ...bodyVariables(body),
      ...textVariables(endpoint, request.search()),
      ...textVariables(endpoint, values),
    }
    const declared = new Set(endpoint.operation.variableDefinitions?.map(variableName))
    const unexpected = Object.keys(variables).find((name) => !declared.has(name))
    if (unexpected !== undefined) {
      throw new EngineError('bad-request', `Unexpected variable ${unexpected}`)
    }
    const { query } = endpoint
    const operation = { api: 'graphql', query, operationName: null, variables } as const
    const answer = await answerOperation(engine, operation, session, request.client)
    return jsonReply(unwrapData(answer.body), answer.cookies)
  },
  renderFailure: (error, audience) =>
    errorReply(error.status, JSON.stringify(renderMetadataError(error, audience))),
})

type EndpointMatch = { endpoint: RestEndpoint; values: Iterable<[string, string]> }

function matchEndpoint(
  endpoints: readonly RestEndpoint[],
  { path, method }: EndpointRequest,
): EndpointMatch {
  const parts = path.split('/').filter(Boolean).slice(2).map(decodeSegment)
  const matchingEndpoints = endpoints.filter((endpoint) => matchesSegments(endpoint, parts))
  if (matchingEndpoints.length === 0) throw new EngineError('not-found', 'Endpoint not found')
  const endpoint = matchingEndpoints.find(({ methods }) => methods.has(method))
  if (!endpoint) {
    const methods = matchingEndpoints.flatMap((endpoint) => [...endpoint.methods]).sort()
    throw new EngineError('method-not-allowed', `Allowed methods: ${methods.join(', ')}`)
  }
  const values = endpoint.segments.flatMap(({ kind, name }, i): [string, string][] =>
    kind === 'variable' ? [[name, requireValue(parts[i], 'a part of the path')]] : [],
  )
  return { endpoint, values }
}

function matchesSegments({ segments }: RestEndpoint, parts: readonly string[]): boolean {
  return (
    segments.length === parts.length &&
    segments.every(({ kind, name }, i) => kind === 'variable' || name === parts[i])
  )
}

function decodeSegment(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (cause) {
    throw invalidPath(cause)
  }
}

function invalidPath(cause: unknown): EngineError {
  return new EngineError('bad-request', 'the path is not URL-encoded', { cause })
}

function isFormRequest({ client }: EndpointRequest): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(client.headers['content-type'] ?? '')
}

/** Returns the variables in a body. Like Hasura, ignores a body that is not an object. */
function bodyVariables(body: unknown): object {
  return isRecord(body) ? body : {}
}

/** Converts variables from text to their declared types. */
function textVariables({ operation }: RestEndpoint, texts: Iterable<[string, string]>) {
  const types = new Map(
    operation.variableDefinitions?.map((variable) => [variableName(variable), variable.type]),
  )
  return Object.fromEntries(
    [...texts].flatMap(([name, text]) => {
      const type = types.get(name)
      const value = type ? parseTextVariable(name, text, type) : text
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function variableName({ variable }: VariableDefinitionNode): string {
  return variable.name.value
}

const TEXT_TYPES: ReadonlySet<string> = new Set(['String', 'ID', 'uuid'])

/**
 * Parses a text. An empty text is `true` for a Boolean. For other nullable types outside `TEXT_TYPES` it is undefined, so that
 * the variable gets its default.
 */
function parseTextVariable(name: string, text: string, type: TypeNode): unknown {
  const required = type.kind === Kind.NON_NULL_TYPE
  const nullable = required ? type.type : type
  if (nullable.kind === Kind.LIST_TYPE) {
    throw new EngineError(
      'bad-request',
      `Type of URL parameter for variable ${name} not supported - Consider putting it in the request body`,
    )
  }
  if (TEXT_TYPES.has(nullable.name.value)) return text
  if (text === '' && nullable.name.value === 'Boolean') return true
  if (text === '' && !required) return undefined
  if (text === 'null' && required) return text
  return JSON_LITERAL.test(text) ? parseExactJson(text) : text
}

/** Matches text that is parsed as JSON: booleans, null, and short decimal numbers. Any other text stays a string. */
const JSON_LITERAL = /^(true|false|null|-?(0|[1-9]\d{0,14})(\.\d{1,6})?)$/

/** Returns the value of `data` in the text of a response. */
function unwrapData(body: string): string {
  return body.slice('{"data":'.length, -1)
}
