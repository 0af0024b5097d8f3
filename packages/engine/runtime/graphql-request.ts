/** A client's GraphQL request. Its document is parsed only if the cache has no plan for it. */
export type GraphQLRequest = {
  /** The API of the request, which determines its schema. */
  api: GraphqlApi
  query: string
  operationName: string | null
  variables: Readonly<Record<string, unknown>>
}

/** The APIs, each with a schema for every role: Hasura's usual API, and its API for Relay clients. */
export type GraphqlApi = 'graphql' | 'relay'
