import { resolve } from 'node:path'
import { z } from 'zod'
import { ConfigError, describeWrongVariables } from '../../../lib/runtime/config-error.ts'
import { webAddress } from '../../../lib/runtime/config-values.ts'

const port = z.coerce.number().int().min(1).max(65_535)

/** The data folder and Hasura: the settings of commands that use a running platform. */
const Address = z.object({
  DATA_FOLDER: z.string().default('.data'),
  /** The address of a Hasura to use instead of the embedded engine. */
  HASURA_GRAPHQL_ENDPOINT: webAddress.optional(),
})

/** The variable that every command requires if HASURA_GRAPHQL_ENDPOINT is set. */
const Admin = z.object({
  HASURA_GRAPHQL_ADMIN_SECRET: z
    .string('is missing. Set it to the admin secret of the Hasura at HASURA_GRAPHQL_ENDPOINT.')
    .min(1),
})

/** The variables that `npm start` requires with HASURA_GRAPHQL_ENDPOINT. The services need secrets of at least 32 characters. */
const HasuraSecrets = z.object({
  HASURA_GRAPHQL_ADMIN_SECRET: Admin.shape.HASURA_GRAPHQL_ADMIN_SECRET.min(32),
  INTERNAL_SECRET: z
    .string(
      'is missing. Set it to the value after "Bearer " in INTERNAL_AUTHORIZATION of that Hasura.',
    )
    .min(32),
  DATABASE_URL: z.string('is missing. Set it to the database of that Hasura.'),
})

const Environment = Address.extend({
  WEBHOOKS_PORT: port.default(3000),
  OIDC_PORT: port.default(3001),
  DEMO_PORT: port.default(3002),
  SIMULATOR_PORT: port.default(3003),
  PRICE_PROVIDER_PORT: port.default(3004),
  ENGINE_PORT: port.default(8080),
  CHAIN_PORT: port.default(8545),
  // The default is below the ports that the system uses for outgoing connections, so no connection occupies it.
  POSTGRES_PORT: port.default(10432),
  SMTP_PORT: port.default(1025),
  MAIL_PAGE_PORT: port.default(8025),
  METRICS_PORT: port.default(9464),
  OIDC_METRICS_PORT: port.default(9465),
  /** Additional redirect URIs of every staging app, comma-separated. */
  DEVELOPMENT_REDIRECT_URIS: z.string().default(''),
  /** The address of a database to use instead of the embedded PostgreSQL. */
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
})

export type Settings = ReturnType<typeof readSettings>

/**
 * Reads the settings of `npm start` from the environment.
 *
 * @throws ConfigError that names every wrong variable
 */
export function readSettings(env: NodeJS.ProcessEnv) {
  const {
    DATA_FOLDER,
    DATABASE_URL,
    HASURA_GRAPHQL_ENDPOINT: endpoint,
    DEVELOPMENT_REDIRECT_URIS: redirects,
    ...ports
  } = parseSettings(Environment, env)
  return {
    folder: resolve(DATA_FOLDER),
    ports,
    /** Passed on to the services unchanged. */
    rateLimits: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) =>
        name.startsWith('RATE_LIMIT_') && value ? [[name, value]] : [],
      ),
    ),
    developmentRedirects: redirects.split(',').filter((uri) => uri.trim()),
    databaseUrl: DATABASE_URL ?? null,
    hasura: endpoint ? readHasura(endpoint, env) : null,
  }
}

function readHasura(endpoint: string, env: NodeJS.ProcessEnv) {
  const { HASURA_GRAPHQL_ADMIN_SECRET: adminSecret, INTERNAL_SECRET: internalSecret } =
    parseSettings(HasuraSecrets, env)
  return { endpoint, adminSecret, internalSecret }
}

/**
 * Reads the data folder and the Hasura, if any, from the environment.
 *
 * @throws ConfigError that names every wrong variable
 */
export function readHasuraAddress(env: NodeJS.ProcessEnv) {
  const { DATA_FOLDER, HASURA_GRAPHQL_ENDPOINT: endpoint } = parseSettings(Address, env)
  const folder = resolve(DATA_FOLDER)
  if (!endpoint) return { folder, hasura: null }
  const { HASURA_GRAPHQL_ADMIN_SECRET: adminSecret } = parseSettings(Admin, env)
  return { folder, hasura: { endpoint, adminSecret } }
}

function parseSettings<Out>(schema: z.ZodType<Out>, env: NodeJS.ProcessEnv): Out {
  const parsed = schema.safeParse(env)
  if (!parsed.success) throw new ConfigError(describeWrongVariables(parsed.error, env).join('\n'))
  return parsed.data
}
