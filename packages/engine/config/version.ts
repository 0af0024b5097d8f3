/**
 * The version of Hasura whose behaviour this engine follows, and which docker-compose.yml runs: nothing else in the project
 * names another one. `/v1/version` tells it to clients and Hasura's command line.
 */
export const VERSION = 'v2.48.16'

/** The `User-Agent` of requests to webhooks. */
export const USER_AGENT = `hasura-graphql-engine/${VERSION}`

/** What npm calls this package. */
export const PACKAGE_NAME = 'postgres-graphql-engine'

/** The package's own version. */
export const PACKAGE_VERSION = '0.9.0'
