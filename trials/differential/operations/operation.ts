/** A GraphQL request. If `isOrdered`, the rows of the response have a defined order. */
export type Operation = {
  kind: 'query' | 'mutation'
  body: { query: string; variables?: Record<string, unknown>; operationName?: string }
  isOrdered: boolean
}
