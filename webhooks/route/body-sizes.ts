/** The maximum size of a GraphQL request. Inserts of many rows are long. */
export const MAX_GRAPHQL_BYTES = 1_000_000

/** The maximum size of a body in which Hasura relays a client's request. Hasura repeats the query and its values in it. */
export const MAX_RELAYED_BYTES = 2 * MAX_GRAPHQL_BYTES + 100_000
