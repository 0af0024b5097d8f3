import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { Environment, SignInEnvironment } from '../../../lib/runtime/config.ts'

/** The variables of `.env` with a random secret, which the operator generates. */
const SECRETS = [
  'HASURA_GRAPHQL_ADMIN_SECRET',
  'API_KEY_PEPPER',
  'CLIENT_SECRET_PEPPER',
  'INTERNAL_SECRET',
  'LOGIN_TOKEN_SECRET',
  'SIGNING_KEY_SECRET',
  'COOKIE_KEYS',
  'POSTGRES_PASSWORD',
  'HASURA_DATABASE_PASSWORD',
  'SIGN_IN_DATABASE_PASSWORD',
] as const

/** Rate limits that the load does not reach. The whole load comes from one address. */
const NO_LIMITS = Object.fromEntries(
  [...Object.keys(Environment.shape), ...Object.keys(SignInEnvironment.shape)]
    .filter((name) => name.startsWith('RATE_LIMIT_'))
    .map((name) => [name, '1000000/60']),
)

/** Generates a secret like `openssl rand -hex 32` in docs/operations/install.md. */
export function drawSecret(): string {
  return randomBytes(32).toString('hex')
}

/** The `.env` of a run. */
export type EnvFile = {
  path: string
  value(name: string): string
  change(values: Readonly<Record<string, string>>): void
}

/** Writes the `.env` that an operator writes before the first start. */
export function writeEnvFile(path: string, values: Readonly<Record<string, string>>): EnvFile {
  const secrets = Object.fromEntries(SECRETS.map((name) => [name, drawSecret()]))
  const example = parseEnv(readFileSync('.env.example', 'utf8'))
  let all: Record<string, string | undefined> = {
    ...example,
    ...NO_LIMITS,
    ...secrets,
    ...values,
  }
  const write = () =>
    writeFileSync(
      path,
      Object.entries(all)
        .map((pair) => `${pair.join('=')}\n`)
        .join(''),
      {
        mode: 0o600,
      },
    )
  write()
  return {
    path,
    value: (name) => all[name] ?? '',
    change(newValues) {
      all = { ...all, ...newValues }
      write()
    },
  }
}
