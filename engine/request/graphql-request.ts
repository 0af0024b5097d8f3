/** A GraphQL request as it was sent. Its document is parsed later, and only if no plan for it is cached. */
export type GraphQLRequest = {
  query: string
  operationName: string | null
  variables: Readonly<Record<string, unknown>>
}
