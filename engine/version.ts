/** The version of Hasura whose behaviour this engine follows; clients and the CLI read it. */
export const VERSION = 'v2.48.1'

/** How the engine names itself to webhooks. */
export const USER_AGENT = `hasura-graphql-engine/${VERSION}`
