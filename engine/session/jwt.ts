import type { Authenticate } from './authenticate.ts'

/** Placeholder until the token mode is written: refuses to start. */
export function jwt(_secret: string, _unauthorizedRole: string | null): Authenticate {
  throw new Error('HASURA_GRAPHQL_JWT_SECRET: not supported yet')
}
