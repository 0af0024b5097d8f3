import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'

/** The name of the secrets file in the data folder. */
export const SECRETS_FILE = 'secrets.json'

/** The content of the secrets file. */
export const Secrets = z.strictObject({
  /** The passwords of PostgreSQL's superuser and of the roles of ops/roles.sql. */
  postgresPassword: z.string(),
  hasuraDatabasePassword: z.string(),
  signInDatabasePassword: z.string(),
  adminSecret: z.string(),
  apiKeyPepper: z.string(),
  clientSecretPepper: z.string(),
  loginTokenSecret: z.string(),
  internalSecret: z.string(),
  /** The secret parts of the API keys of the demo team and of the other team. */
  demoKey: z.string(),
  otherKey: z.string(),
  signingKeySecret: z.string(),
  cookieKey: z.string(),
  earlierCookieKey: z.string(),
  /** The client secret of the demo app at the sign-in server. */
  demoClientSecret: z.string(),
})

export type Secrets = z.infer<typeof Secrets>

/**
 * Reads the secrets of a local platform. Creates missing secrets and writes the file.
 *
 * Secrets are random even on a developer's machine, since any web page can send requests to localhost and could use a well-known
 * admin secret.
 */
export function readSecrets(file: string): Secrets {
  const storedSecrets = existsSync(file)
    ? Secrets.partial().parse(JSON.parse(readFileSync(file, 'utf8')))
    : {}
  const secrets = Secrets.parse({ ...createSecrets(), ...storedSecrets })
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 })
  return secrets
}

/** Returns whether `readSecrets` has written a file, in this version or an earlier one. */
export function hasSecrets(file: string): boolean {
  if (!existsSync(file)) return false
  try {
    const result = Secrets.partial().safeParse(JSON.parse(readFileSync(file, 'utf8')))
    return result.success && Object.keys(result.data).length > 0
  } catch {
    // The file is malformed or not readable.
    return false
  }
}

/** Creates a random value for each secret. `readSecrets` uses the values of secrets that the file lacks. */
function createSecrets(): Record<string, string> {
  const names = Object.keys(Secrets.shape)
  return Object.fromEntries(names.map((name) => [name, randomBytes(48).toString('base64url')]))
}
