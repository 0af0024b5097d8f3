import { readFileSync } from 'node:fs'
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml'
import { z } from 'zod'

/** Environment variables, as a list of `NAME=value` or as an object. */
const Variables = z
  .union([z.array(z.string()), z.record(z.string(), z.string())])
  .transform((variables) =>
    Array.isArray(variables)
      ? variables
      : Object.entries(variables).map(([name, value]) => `${name}=${value}`),
  )

const Service = z.looseObject({
  image: z.string().optional(),
  build: z.object({ context: z.string(), target: z.string() }).optional(),
  environment: Variables.default([]),
  networks: z.array(z.string()),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  user: z.string().optional(),
  tmpfs: z.array(z.string()).optional(),
  mem_limit: z.string().optional(),
  pids_limit: z.number().optional(),
})

const Compose = z.looseObject({ services: z.record(z.string(), Service) })

export type ComposeService = z.infer<typeof Service>

const text = readFileSync('docker-compose.yml', 'utf8')

/** The content of docker-compose.yml with resolved anchors. */
export const composeFile = load(text, { schema: CORE_SCHEMA.withTags(mergeTag) })

export const compose = Compose.parse(composeFile)

/** Lists the variables that docker-compose.yml takes from `.env`: as `${NAME}`, or as an entry without a value. */
export function listVariables({ services }: typeof compose): Set<string> {
  const interpolated = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? '')
  const entriesWithoutValue = Object.values(services).flatMap(({ environment }) =>
    environment.filter((entry) => !entry.includes('=')),
  )
  return new Set([...interpolated, ...entriesWithoutValue])
}

/** Returns the environment that Compose gives to a service's container when `.env` contains `env`. */
export function readEnvironment(
  service: ComposeService | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const pairs = (service?.environment ?? []).map((entry) => {
    const [name = '', value = env[name] ?? ''] = entry.split(/=(.*)/s)
    return [name, interpolate(value, env)]
  })
  return Object.fromEntries(pairs)
}

/**
 * Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}` by values, and `$$` by a dollar sign.
 *
 * @throws if a variable has neither a value nor a default
 */
export function interpolate(
  value: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  return value.replaceAll(/\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g, (match, name, kind, argument) =>
    match === '$$' ? '$' : env[name] || defaultFor(name, kind, argument),
  )
}

function defaultFor(name: string, kind: string | undefined, argument: string | undefined): string {
  if (kind === '-') return argument ?? ''
  throw new Error(`${name} is not set`)
}

/** The values that an operator sets in `.env`. */
export const operatorEnvironment = {
  BASE_URL: 'https://api.example.com',
  AUTH_URL: 'https://id.example.com',
  COOKIE_KEYS: 'cookie-key-of-the-compose-file-tests',
  HASURA_GRAPHQL_ADMIN_SECRET: 'admin-secret-of-the-compose-file',
  API_KEY_PEPPER: 'pepper-of-the-compose-file-tests-only',
  CLIENT_SECRET_PEPPER: 'client-pepper-of-the-compose-file-tests',
  INTERNAL_SECRET: 'internal-secret-of-the-compose-file',
  LOGIN_TOKEN_SECRET: 'login-token-secret-of-the-compose-file-'.repeat(2),
  SIGNING_KEY_SECRET: 'signing-key-secret-of-the-compose-file',
  SMTP_URL: 'smtp://mail.example.com:587?requireTLS=true',
  CHAIN_RPC_URL: 'https://rpc.example.com',
  POSTGRES_PASSWORD: 'password-of-the-superuser',
  PROXY_API_ADDRESS: '3000',
  PROXY_SIGN_IN_ADDRESS: '3001',
  HASURA_DATABASE_PASSWORD: 'password-of-hasura',
  SIGN_IN_DATABASE_PASSWORD: 'password-of-the-sign-in-server',
}
