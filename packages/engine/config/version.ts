/**
 * The version of Hasura that this engine imitates, and that docker-compose.yml runs. `/v1/version` returns it to
 * clients and to Hasura's command line.
 */
export const VERSION = 'v2.48.16'

/** The `User-Agent` of requests to webhooks, remote schemas, auth hooks and JWK URLs. */
export const USER_AGENT = `hasura-graphql-engine/${VERSION}`

/** The name of this package in npm. */
export const PACKAGE_NAME = 'postgres-graphql-engine'

/** The version of this package. */
export const PACKAGE_VERSION = '0.9.0'
