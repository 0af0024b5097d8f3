/** One GraphQL operation as it came in; documents are parsed later, by the cache of plans. */
export type GraphQLRequest = {
  query: string
  operationName: string | null
  variables: Readonly<Record<string, unknown>>
}
