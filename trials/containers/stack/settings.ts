import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { Environment, SignInEnvironment } from '../../../lib/runtime/config.ts'

/** The variables of `.env` that hold a secret which the operator draws. */
const DRAWN = [
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

/** All load comes from one address. */
const NO_LIMITS = Object.fromEntries(
  [...Object.keys(Environment.shape), ...Object.keys(SignInEnvironment.shape)]
    .filter((name) => name.startsWith('RATE_LIMIT_'))
    .map((name) => [name, '1000000/60']),
)

/** As `openssl rand -hex 32`, which docs/operations/install.md names. */
export function drawSecret(): string {
  return randomBytes(32).toString('hex')
}

/** A copy of `.env`: what it says, and changes of it. */
export type EnvFile = {
  path: string
  value(name: string): string
  change(values: Readonly<Record<string, string>>): void
}

/** Writes what an operator fills in for the first start. */
export function writeEnvFile(path: string, values: Readonly<Record<string, string>>): EnvFile {
  const drawn = Object.fromEntries(DRAWN.map((name) => [name, drawSecret()]))
  const example = parseEnv(readFileSync('.env.example', 'utf8'))
  let all: Record<string, string | undefined> = {
    ...example,
    ...NO_LIMITS,
    ...drawn,
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
    change(changed) {
      all = { ...all, ...changed }
      write()
    },
  }
}
