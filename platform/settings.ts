import { resolve } from 'node:path'
import { z } from 'zod'
import { ConfigError, webAddress } from '../lib/config.ts'
import { present } from '../lib/present.ts'

const port = z.coerce.number().int().min(1).max(65_535)

const Environment = z
  .object({
    DATA_FOLDER: z.string().default('.data'),
    WEBHOOKS_PORT: port.default(3000),
    METRICS_PORT: port.default(9464),
    OIDC_PORT: port.default(3001),
    OIDC_METRICS_PORT: port.default(9465),
    DEMO_PORT: port.default(3002),
    SIMULATOR_PORT: port.default(3003),
    PRICE_PROVIDER_PORT: port.default(3004),
    ENGINE_PORT: port.default(8080),
    CHAIN_PORT: port.default(8545),
    POSTGRES_PORT: port.default(54320),
    SMTP_PORT: port.default(1025),
    MAIL_PAGE_PORT: port.default(8025),
    /** Replaces the embedded PostgreSQL. */
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    /** Replaces the embedded engine, together with its admin secret. */
    HASURA_GRAPHQL_ENDPOINT: webAddress.optional(),
    HASURA_GRAPHQL_ADMIN_SECRET: z.string().min(1).optional(),
  })
  .refine(
    ({ HASURA_GRAPHQL_ENDPOINT: endpoint, HASURA_GRAPHQL_ADMIN_SECRET: secret }) =>
      !endpoint || secret,
    {
      path: ['HASURA_GRAPHQL_ADMIN_SECRET'],
      error: 'is needed for the Hasura of HASURA_GRAPHQL_ENDPOINT',
    },
  )

export type Settings = ReturnType<typeof readSettings>

/**
 * Reads from the environment what may be chosen about the embedded default.
 *
 * @throws ConfigError naming everything that is wrong
 */
export function readSettings(env: NodeJS.ProcessEnv) {
  const parsed = Environment.safeParse(env)
  if (!parsed.success) throw new ConfigError(z.prettifyError(parsed.error))
  const {
    DATA_FOLDER,
    DATABASE_URL,
    HASURA_GRAPHQL_ENDPOINT,
    HASURA_GRAPHQL_ADMIN_SECRET,
    ...ports
  } = parsed.data
  return {
    folder: resolve(DATA_FOLDER),
    ports,
    /** Passed on to the services as they are. */
    rateLimits: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) =>
        name.startsWith('RATE_LIMIT_') && value ? [[name, value]] : [],
      ),
    ),
    databaseUrl: DATABASE_URL ?? null,
    hasura: HASURA_GRAPHQL_ENDPOINT
      ? {
          endpoint: HASURA_GRAPHQL_ENDPOINT,
          adminSecret: present(
            HASURA_GRAPHQL_ADMIN_SECRET,
            'the secret that belongs to the endpoint',
          ),
        }
      : null,
  }
}
