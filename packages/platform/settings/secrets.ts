import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'

/** The name of the file in the data folder. */
export const SECRETS_FILE = 'secrets.json'

/** The content of the file. */
export const Secrets = z.strictObject({
  /** Of PostgreSQL's superuser, and of the roles of ops/roles.sql. */
  postgresPassword: z.string(),
  hasuraDatabasePassword: z.string(),
  signInDatabasePassword: z.string(),
  adminSecret: z.string(),
  apiKeyPepper: z.string(),
  clientSecretPepper: z.string(),
  loginTokenSecret: z.string(),
  internalSecret: z.string(),
  /** The secret part of the API key of the demo team, and of the other team. */
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
 * The embedded default's own secrets, made on its first start and kept beside its data.
 *
 * They are random even on a developer's machine: any web page can send requests to localhost, and a
 * well-known admin secret would let it in.
 */
export function readSecrets(file: string): Secrets {
  const known = existsSync(file)
    ? Secrets.partial().parse(JSON.parse(readFileSync(file, 'utf8')))
    : {}
  const secrets = Secrets.parse({ ...drawSecrets(), ...known })
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 })
  return secrets
}

/** Whether a file is one that `readSecrets` has made, in this version or an earlier one. */
export function hasSecrets(file: string): boolean {
  if (!existsSync(file)) return false
  try {
    const known = Secrets.partial().safeParse(JSON.parse(readFileSync(file, 'utf8')))
    return known.success && Object.keys(known.data).length > 0
  } catch {
    // Malformed, or no file that we may read.
    return false
  }
}

/** Draws every secret: a file that an earlier version made lacks those that were added since. */
function drawSecrets(): Record<string, string> {
  const names = Object.keys(Secrets.shape)
  return Object.fromEntries(names.map((name) => [name, randomBytes(48).toString('base64url')]))
}
