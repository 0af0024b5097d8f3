import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { ConfigError, describeWrongVariables, refuseInProduction } from './config-error.ts'
import {
  address,
  chain,
  chainName,
  count,
  currency,
  dateOrNever,
  feeds,
  fiats,
  groups,
  httpUrl,
  json,
  longSecrets,
  names,
  port,
  rate,
  secrets,
  webAddress,
} from './config-values.ts'
import { describeUnknownVariables } from './unknown-variables.ts'

/** Every variable of the developer API, with its default; `.env.example` explains each. */
export const Environment = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).default('production'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),

  BASE_URL: webAddress.default('http://localhost:3000'),
  AUTH_URL: webAddress
    .refine((url) => new URL(url).pathname === '/', 'must be an origin, without a path')
    .default('http://localhost:3001'),
  WALLET_BRIDGE_URL: webAddress.default('https://bridge.worldcoin.org'),
  WALLET_LINK_URL: z.url('must be a URL').default('https://world.org/verify'),
  SIMULATOR_URL: webAddress.optional(),
  GUIDE_URL: z.url({ protocol: /^https?$/, error: 'must be a URL of HTTP or HTTPS' }).optional(),
  WEBHOOKS_HOST: z.string().default('0.0.0.0'),
  WEBHOOKS_PORT: port.default(3000),
  METRICS_PORT: port.optional(),
  PROCESSES: count.max(256).default(1),
  DRAIN_SECONDS: z.coerce.number().min(0).max(60).default(0),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).default(0),

  HASURA_GRAPHQL_ENDPOINT: webAddress.default('http://localhost:8080'),
  HASURA_GRAPHQL_READ_ENDPOINT: webAddress.optional(),
  HASURA_GRAPHQL_ADMIN_SECRET: secrets,
  HASURA_TIMEOUT_MS: count.default(5_000),
  GRAPHQL_CONCURRENCY: count.max(10_000).default(16),
  WEBSOCKET_IDLE_SECONDS: count.default(60),
  WEBSOCKET_SESSION_SECONDS: count.default(60),

  API_KEY_PEPPER: secrets,
  CLIENT_SECRET_PEPPER: secrets,
  INTERNAL_SECRET: secrets.optional(),

  LOGIN_TOKEN_SECRET: longSecrets,
  PASSWORD_CONCURRENCY: count.max(64).default(Math.ceil(availableParallelism() / 2)),
  PASSWORD_MAX_QUEUE: count.default(50),

  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must begin with smtp:// or smtps://' }),
  SMTP_TIMEOUT_MS: count.max(10_000).default(5_000),
  MAIL_FROM: z
    .string()
    .regex(/@[\w.-]+>?$/, 'must be like no-reply@example.com or Name <no-reply@example.com>')
    .default('no-reply@localhost'),

  RATE_LIMIT_VERIFY: rate.prefault('600/60'),
  RATE_LIMIT_PRECHECK: rate.prefault('600/60'),
  RATE_LIMIT_PRECHECK_ACTION: rate.prefault('60/60'),
  RATE_LIMIT_SIGNUP: rate.prefault('5/3600'),
  RATE_LIMIT_LOGIN: rate.prefault('10/60'),
  RATE_LIMIT_LOGIN_EMAIL: rate.prefault('10/60'),
  RATE_LIMIT_LOGIN_UNKNOWN_DEVICE: rate.prefault('20/86400'),
  RATE_LIMIT_LOGIN_UNKNOWN_DEVICES: rate.prefault('200/86400'),
  RATE_LIMIT_RESEND: rate.prefault('5/3600'),
  RATE_LIMIT_FORGOT_PASSWORD: rate.prefault('5/3600'),
  RATE_LIMIT_VERIFY_EMAIL: rate.prefault('60/60'),
  RATE_LIMIT_TRANSACTION: rate.prefault('600/60'),
  RATE_LIMIT_PRICES: rate.prefault('600/60'),
  RATE_LIMIT_USER_OPERATION: rate.prefault('120/60'),

  CHAIN_RPC_URL: httpUrl,
  CHAIN_ID: count.default(1),
  CHAIN_TIMEOUT_MS: count.default(3_000),
  UNIVERSAL_RESOLVER_ADDRESS: address.default('0xeeeeeeee14d718c2b47d9923deab1335e144eeee'),
  GROUPS_PRODUCTION: groups.prefault('semaphore.wld.eth=orb'),
  GROUPS_STAGING: groups.prefault('staging.semaphore.wld.eth=all'),
  ROOT_MAX_AGE_SECONDS: z.coerce.number().int().min(3_600).max(604_800).default(604_800),

  PAYMENT_CHAINS: json.pipe(z.record(chainName, chain)).prefault('{}'),
  CHAIN_BATCH_SIZE: count.max(1_000).default(100),
  CHAIN_CONCURRENCY: count.max(100).default(4),
  TRANSACTION_MAX_AGE_SECONDS: z.coerce.number().int().min(0).default(3),
  TRANSACTION_GIVE_UP_SECONDS: count.default(86_400),

  PRICES_URL: webAddress.optional(),
  PRICES_PORT: port.optional(),
  PRICE_PROVIDER_URL: httpUrl.optional(),
  PRICE_IDS: json
    .pipe(z.record(currency, z.string()))
    .prefault('{"WLD":"worldcoin-wld","USDCE":"usd-coin"}'),
  PRICE_FEEDS: json.pipe(feeds).optional(),
  PRICE_FIATS: fiats.prefault(
    'USD,EUR,GBP,JPY,CHF,CAD,AUD,SGD,KRW,INR,MYR,PHP,BRL,MXN,ARS,CLP,COP,PEN',
  ),
  PRICE_TIMEOUT_MS: count.max(20_000).default(5_000),
  PRICE_MAX_AGE_SECONDS: count.default(600),

  VERIFICATION_KEYS_PRODUCTION: names.default(['semaphore-v3-depth-30']),
  VERIFICATION_KEYS_STAGING: names.default(['semaphore-v3-depth-30']),
  VERIFICATION_KEYS_LEGACY: names.default(['semaphore-legacy-depth-20']),
  DEVELOPMENT_KEY_FILE: z.string().optional(),

  WORLD_CHAIN_RPC_URL: httpUrl.optional(),
  WORLD_CHAIN_ID: count.default(480),
  WORLD_ID_VERIFIER_PRODUCTION: address.default('0x00000000009E00F9FE82CfeeBB4556686da094d7'),
  WORLD_ID_VERIFIER_STAGING: address.default('0x703a6316c975DEabF30b637c155edD53e24657DB'),
  VERIFICATION_KEYS_4_PRODUCTION: names.default(['world-id-4']),
  VERIFICATION_KEYS_4_STAGING: names.default(['world-id-4']),
  DEVELOPMENT_KEY_4_FILE: z.string().optional(),
  WORLD_ID_CROSS_CHECK_ONE_IN: z.coerce.number().int().min(0).default(1_000),

  VERIFIER_THREADS: count.default(availableParallelism()),
  VERIFIER_MAX_QUEUE: count.default(1_000),
  VERIFIER_CROSS_CHECK_ONE_IN: count.default(1_000),
  VERIFY_V1_SUNSET: dateOrNever.prefault('2024-06-30T23:59:59Z'),
  SIGNING_KEY_SECRET: secrets,
  SIGNING_KEY_RENEWAL_DAYS: z.coerce.number().int().min(0).max(180).default(0),
  PORTAL_FOLDER: z.string().optional(),
  START_PAGE_FILE: z.string().optional(),
  MAIL_PAGE_URL: webAddress.optional(),
})

export type Config = z.infer<typeof Environment>

/** The variables that both the developer API and the sign-in server read. */
const shared = Environment.pick({
  NODE_ENV: true,
  LOG_LEVEL: true,
  METRICS_PORT: true,
  PROCESSES: true,
  DRAIN_SECONDS: true,
  OTEL_EXPORTER_OTLP_ENDPOINT: true,
  OTEL_EXPORTER_OTLP_HEADERS: true,
  OTEL_TRACES_SAMPLER_ARG: true,
  TRUSTED_PROXY_HOPS: true,
  HASURA_GRAPHQL_ENDPOINT: true,
  HASURA_GRAPHQL_ADMIN_SECRET: true,
  HASURA_TIMEOUT_MS: true,
  CHAIN_RPC_URL: true,
  CHAIN_ID: true,
  CHAIN_TIMEOUT_MS: true,
  UNIVERSAL_RESOLVER_ADDRESS: true,
  GROUPS_PRODUCTION: true,
  GROUPS_STAGING: true,
  ROOT_MAX_AGE_SECONDS: true,
  VERIFICATION_KEYS_PRODUCTION: true,
  VERIFICATION_KEYS_STAGING: true,
  VERIFICATION_KEYS_LEGACY: true,
  DEVELOPMENT_KEY_FILE: true,
  VERIFIER_THREADS: true,
  VERIFIER_MAX_QUEUE: true,
  VERIFIER_CROSS_CHECK_ONE_IN: true,
  SIGNING_KEY_SECRET: true,
  CLIENT_SECRET_PEPPER: true,
  AUTH_URL: true,
  WALLET_BRIDGE_URL: true,
  WALLET_LINK_URL: true,
  SIMULATOR_URL: true,
})

export type SharedConfig = z.infer<typeof shared>

/** The variables of protocol 4.0, which only the developer API reads. */
export type Protocol4Config = Pick<
  Config,
  | 'WORLD_CHAIN_RPC_URL'
  | 'WORLD_CHAIN_ID'
  | 'WORLD_ID_VERIFIER_PRODUCTION'
  | 'WORLD_ID_VERIFIER_STAGING'
  | 'VERIFICATION_KEYS_4_PRODUCTION'
  | 'VERIFICATION_KEYS_4_STAGING'
  | 'DEVELOPMENT_KEY_4_FILE'
  | 'WORLD_ID_CROSS_CHECK_ONE_IN'
>

/** Every variable of the sign-in server, including the shared variables. */
export const SignInEnvironment = shared
  .extend({
    OIDC_HOST: z.string().default('0.0.0.0'),
    OIDC_PORT: port.default(3001),

    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must begin with postgres://' }),
    DATABASE_POOL_SIZE: count.default(10),
    KEY_REFRESH_MS: count.default(10_000),

    COOKIE_KEYS: secrets,

    SIGN_IN_ROOT_MAX_AGE_SECONDS: z.coerce.number().int().min(60).max(604_800).default(3_600),
    DEVELOPMENT_REDIRECT_URIS: names.default([]),
    LOCALHOST_REDIRECTS: z.stringbool().default(false),
    AUTHORIZE_BY_POST: z.stringbool().default(false),

    RATE_LIMIT_REGISTER: rate.prefault('35/3600'),
    RATE_LIMIT_TOKEN: rate.prefault('600/60'),
    RATE_LIMIT_SIGN_IN: rate.prefault('600/60'),
  })
  .superRefine(refuseInProduction)

export type SignInConfig = z.infer<typeof SignInEnvironment>

const checked = Environment.superRefine(refuseInProduction)

/**
 * Parses the environment of the developer API. Its entry point calls this once, and no other code of the service reads
 * the environment.
 *
 * @throws ConfigError that lists every missing, wrong or misspelt variable
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  return readEnvironment(checked, env)
}

/** Reads the environment of the sign-in server, like `readConfig`. */
export function readSignInConfig(env: NodeJS.ProcessEnv): SignInConfig {
  return readEnvironment(SignInEnvironment, env)
}

/** Returns one process's share of a total that is divided between the service's processes, rounded up. */
export function shareOfProcess(
  total: number,
  { PROCESSES }: Pick<SharedConfig, 'PROCESSES'>,
): number {
  return Math.ceil(total / PROCESSES)
}

function readEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  env: NodeJS.ProcessEnv,
): z.infer<Schema> {
  const filled = withoutEmpty(env)
  const parsed = schema.safeParse(filled)
  const problems = [
    ...(parsed.error ? describeWrongVariables(parsed.error, filled) : []),
    ...describeUnknownVariables(Object.keys(filled), VARIABLES),
  ]
  if (parsed.success && problems.length === 0) return parsed.data
  throw new ConfigError(
    `The configuration is invalid. docs/operations/configuration.md describes each variable.\n  ${problems.join('\n  ')}`,
  )
}

const VARIABLES = [...Object.keys(Environment.shape), ...Object.keys(SignInEnvironment.shape)]

/** Removes empty variables, because compose files pass unset variables as empty texts. */
function withoutEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
}
