/** A GraphQL request as it was sent. Its document is parsed later, and only if no plan for it is cached. */
export type GraphQLRequest = {
  /** The schema that it is for. */
  api: GraphqlApi
  query: string
  operationName: string | null
  variables: Readonly<Record<string, unknown>>
}

/** Each role has a schema in both: Hasura's usual one, and the one for clients that use Relay. */
export type GraphqlApi = 'graphql' | 'relay'
