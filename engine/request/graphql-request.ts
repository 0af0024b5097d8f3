/** One GraphQL operation as it was sent. Its document is parsed later, if there is no plan for it yet. */
export type GraphQLRequest = {
  query: string
  operationName: string | null
  variables: Readonly<Record<string, unknown>>
}
