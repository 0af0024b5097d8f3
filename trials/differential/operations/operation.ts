/** A request, and whether what it asks for has one order only. */
export type Operation = {
  kind: 'query' | 'mutation'
  body: { query: string; variables?: Record<string, unknown>; operationName?: string }
  isOrdered: boolean
}
