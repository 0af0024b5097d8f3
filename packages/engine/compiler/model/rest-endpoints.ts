import { Kind, type OperationDefinitionNode, parse, TokenKind } from 'graphql/language/index.js'
import type { Metadata } from '../../metadata/metadata.ts'
import { type InconsistencyReport, Inconsistent, UnprefixedInconsistent } from './inconsistency.ts'

/** A REST endpoint: a saved query with a path. */
export type RestEndpoint = {
  name: string
  url: string
  methods: ReadonlySet<string>
  segments: readonly Segment[]
  query: string
  operation: OperationDefinitionNode
}

type Segment = { kind: 'text' | 'variable'; name: string }
type EndpointMetadata = Metadata['rest_endpoints'][number]

/** Resolves the REST endpoints against the query collections. */
export function resolveRestEndpoints(
  metadata: Metadata,
  errors: InconsistencyReport,
): RestEndpoint[] {
  const endpoints: RestEndpoint[] = []
  for (const definition of metadata.rest_endpoints) {
    const { name } = definition
    const subject = { type: 'rest_endpoint', name: `rest_endpoint ${name}`, definition }
    const endpoint = errors.attempt(subject, () => {
      const candidate = resolveRestEndpoint(definition, metadata)
      const rivals = endpoints.filter((counterpart) => areAmbiguous(candidate, counterpart))
      if (rivals.length === 0) return candidate
      const conflictingEndpoints = [candidate, ...rivals].sort(compareEndpointNames)
      const conflicts = conflictingEndpoints.map((endpoint) =>
        metadata.rest_endpoints.find((e) => e.name === endpoint.name),
      )
      const urls = conflictingEndpoints.map(({ url }) => url)
      throw new UnprefixedInconsistent(`Ambiguous URL paths: ${urls.join(', ')}`, conflicts)
    })
    if (endpoint) endpoints.push(endpoint)
  }
  return endpoints
}

function resolveRestEndpoint(
  { name, url, methods, definition }: EndpointMetadata,
  metadata: Metadata,
) {
  const { collection_name, query_name } = definition.query
  const collection = metadata.query_collections.find((entry) => entry.name === collection_name)
  if (!collection) {
    throw new Inconsistent(
      `in endpoint ${name}: collection with name ${collection_name} does not exist`,
    )
  }
  const savedQuery = collection.definition.queries.find((entry) => entry.name === query_name)
  if (!savedQuery) {
    throw new Inconsistent(
      `in endpoint ${name}: query with name ${query_name} does not exist in collection ${collection_name}`,
    )
  }
  return {
    name,
    url,
    methods: new Set<string>(methods),
    segments: parseUrlSegments(url),
    query: savedQuery.query,
    operation: requireOneOperation(name, savedQuery),
  }
}

function parseUrlSegments(url: string): Segment[] {
  const segments = url
    .split('/')
    .map(
      (text): Segment =>
        text.startsWith(':')
          ? { kind: 'variable', name: text.slice(1) }
          : { kind: 'text', name: text },
    )
  if (segments.some(({ name }) => name === '')) {
    throw new UnprefixedInconsistent(`Empty segments or unnamed variables are not allowed: ${url}`)
  }
  const variables = segments.filter(({ kind }) => kind === 'variable').map(({ name }) => name)
  if (new Set(variables).size < variables.length) {
    throw new UnprefixedInconsistent(`Duplicate variables found in endpoint path: ${url}`)
  }
  return segments
}

function requireOneOperation(endpoint: string, savedQuery: { name: string; query: string }) {
  const operations = parse(savedQuery.query).definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  )
  const [operation] = operations
  // Hasura does not accept an operation in the shorthand form `{ … }`, without the word `query`.
  const isShorthand = operation?.loc?.startToken.kind === TokenKind.BRACE_L
  if (!operation || isShorthand || operations.length > 1) {
    throw new Inconsistent(
      `in endpoint ${endpoint}: query with name ${savedQuery.name} has multiple definitions.`,
    )
  }
  if (operation.operation === 'subscription') {
    throw new Inconsistent(
      `in endpoint ${endpoint}: query with name ${savedQuery.name} is a subscription`,
    )
  }
  return operation
}

function compareEndpointNames({ name: a }: RestEndpoint, { name: b }: RestEndpoint): number {
  return a < b ? -1 : 1
}

/** Reports whether a path and method can match both endpoints. */
function areAmbiguous(a: RestEndpoint, b: RestEndpoint): boolean {
  return (
    a.segments.length === b.segments.length &&
    [...a.methods].some((method) => b.methods.has(method)) &&
    a.segments.every((segment, i) => {
      const counterpart = b.segments[i]
      return (
        segment.kind === 'variable' ||
        counterpart?.kind === 'variable' ||
        segment.name === counterpart?.name
      )
    })
  )
}
