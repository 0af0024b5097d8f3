import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'

/** As the file has them. */
export const Secrets = z.strictObject({
  postgresPassword: z.string(),
  adminSecret: z.string(),
  apiKeyPepper: z.string(),
  clientSecretPepper: z.string(),
  loginTokenSecret: z.string(),
  internalSecret: z.string(),
  /** The secret part of each demo team's API key. */
  demoKey: z.string(),
  otherKey: z.string(),
  signingKeySecret: z.string(),
  cookieKey: z.string(),
  earlierCookieKey: z.string(),
  /** The demo app's, as a client of the sign-in server. */
  demoClientSecret: z.string(),
})

export type Secrets = z.infer<typeof Secrets>

/**
 * The embedded default's own secrets, drawn on its first start and kept beside its data.
 *
 * They are random even on a developer's machine: any web page can send requests to localhost, and
 * would need no more than a well-known admin secret.
 */
export function readSecrets(file: string): Secrets {
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const secrets = Secrets.parse({ ...drawAll(), ...known })
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 })
  return secrets
}

/** Of all: a folder made by an earlier version lacks what came later. */
function drawAll(): Record<string, string> {
  const names = Object.keys(Secrets.shape)
  return Object.fromEntries(names.map((name) => [name, randomBytes(48).toString('base64url')]))
}
