import { resolve } from 'node:path'
import { z } from 'zod'
import { ConfigError } from '../lib/config.ts'

const port = z.coerce.number().int().min(1).max(65_535)

const Environment = z.object({
  DATA_FOLDER: z.string().default('.data'),
  WEBHOOKS_PORT: port.default(3000),
  ENGINE_PORT: port.default(8080),
  CHAIN_PORT: port.default(8545),
  POSTGRES_PORT: port.default(54320),
  /** Replaces the embedded PostgreSQL. */
  DATABASE_URL: z.url().optional(),
  /** Replaces the embedded engine, together with its admin secret. */
  HASURA_GRAPHQL_ENDPOINT: z.url().optional(),
  HASURA_GRAPHQL_ADMIN_SECRET: z.string().optional(),
})

export type Settings = ReturnType<typeof readSettings>

/**
 * What may be chosen about the embedded default, from the environment.
 *
 * @throws ConfigError naming everything that is wrong
 */
export function readSettings(env: NodeJS.ProcessEnv) {
  const parsed = Environment.safeParse(env)
  if (!parsed.success) throw new ConfigError(z.prettifyError(parsed.error))
  const { DATA_FOLDER, WEBHOOKS_PORT, ENGINE_PORT, CHAIN_PORT, POSTGRES_PORT, ...outside } =
    parsed.data
  return {
    folder: resolve(DATA_FOLDER),
    ports: {
      WEBHOOKS_PORT,
      ENGINE_PORT,
      CHAIN_PORT,
      POSTGRES_PORT,
    },
    databaseUrl: outside.DATABASE_URL ?? null,
    hasura: outside.HASURA_GRAPHQL_ENDPOINT
      ? {
          endpoint: outside.HASURA_GRAPHQL_ENDPOINT,
          adminSecret: outside.HASURA_GRAPHQL_ADMIN_SECRET ?? '',
        }
      : null,
  }
}
