import { resolve } from 'node:path'
import { z } from 'zod'
import { ConfigError, webAddress } from '../../../lib/runtime/config.ts'

const port = z.coerce.number().int().min(1).max(65_535)

/** Where the data and a given Hasura are: all that a command needs which uses what runs. */
const Address = z.object({
  DATA_FOLDER: z.string().default('.data'),
  /** Replaces the embedded engine. */
  HASURA_GRAPHQL_ENDPOINT: webAddress.optional(),
})

/** What is needed beside HASURA_GRAPHQL_ENDPOINT. */
const Admin = z.object({
  HASURA_GRAPHQL_ADMIN_SECRET: z
    .string('is needed: the admin secret of the Hasura at HASURA_GRAPHQL_ENDPOINT')
    .min(1),
})

/** The same for `npm start`: secrets are as long as the services want theirs. */
const OfHasura = z.object({
  HASURA_GRAPHQL_ADMIN_SECRET: Admin.shape.HASURA_GRAPHQL_ADMIN_SECRET.min(32),
  INTERNAL_SECRET: z
    .string('is needed: what that Hasura has after "Bearer " in its INTERNAL_AUTHORIZATION')
    .min(32),
  DATABASE_URL: z.string('is needed: the database of that Hasura'),
})

const Environment = Address.extend({
  WEBHOOKS_PORT: port.default(3000),
  OIDC_PORT: port.default(3001),
  DEMO_PORT: port.default(3002),
  SIMULATOR_PORT: port.default(3003),
  PRICE_PROVIDER_PORT: port.default(3004),
  ENGINE_PORT: port.default(8080),
  CHAIN_PORT: port.default(8545),
  // Below the ports that the kernel gives to outgoing connections, which would take it at times.
  POSTGRES_PORT: port.default(10432),
  SMTP_PORT: port.default(1025),
  MAIL_PAGE_PORT: port.default(8025),
  METRICS_PORT: port.default(9464),
  OIDC_METRICS_PORT: port.default(9465),
  /** Redirect URIs that every staging app has besides its own, comma-separated. */
  DEVELOPMENT_REDIRECT_URIS: z.string().default(''),
  /** Replaces the embedded PostgreSQL. */
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
})

export type Settings = ReturnType<typeof readSettings>

/**
 * Reads from the environment what may be chosen about the embedded default.
 *
 * @throws ConfigError naming everything that is wrong
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
    /** Passed on to the services as they are. */
    rateLimits: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) =>
        name.startsWith('RATE_LIMIT_') && value ? [[name, value]] : [],
      ),
    ),
    developmentRedirects: redirects.split(',').filter((uri) => uri.trim()),
    databaseUrl: DATABASE_URL ?? null,
    hasura: endpoint ? readHasuraOf(endpoint, env) : null,
  }
}

function readHasuraOf(endpoint: string, env: NodeJS.ProcessEnv) {
  const { HASURA_GRAPHQL_ADMIN_SECRET: adminSecret, INTERNAL_SECRET: internalSecret } =
    parseSettings(OfHasura, env)
  return { endpoint, adminSecret, internalSecret }
}

/**
 * Reads from the environment where the data folder is, and which Hasura it names, if any.
 *
 * @throws ConfigError naming everything that is wrong
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
  if (!parsed.success) throw new ConfigError(z.prettifyError(parsed.error))
  return parsed.data
}
