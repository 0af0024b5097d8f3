/** The longest GraphQL request: inserts of many rows are long. */
export const MAX_GRAPHQL_BYTES = 1_000_000

/** What Hasura posts in which it relays a client's request: the query and its values. */
export const MAX_RELAYED_BYTES = 2 * MAX_GRAPHQL_BYTES + 100_000
