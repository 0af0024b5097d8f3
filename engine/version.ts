/** The version of Hasura whose behaviour this engine follows; `/v1/version` tells it to clients and Hasura's CLI. */
export const VERSION = 'v2.48.1'

/** The `User-Agent` of requests to webhooks. */
export const USER_AGENT = `hasura-graphql-engine/${VERSION}`
