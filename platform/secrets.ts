import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'

const Secrets = z.strictObject({
  postgresPassword: z.string(),
  adminSecret: z.string(),
  apiKeyPepper: z.string(),
  /** The secret part of each demo team's API key. */
  demoKey: z.string(),
  otherKey: z.string(),
})

export type Secrets = z.infer<typeof Secrets>

/**
 * The embedded default's own secrets, drawn on its first start and kept beside its data.
 *
 * They are random even on a developer's machine: any web page can send requests to localhost, and
 * would need no more than a well-known admin secret.
 */
export function readSecrets(file: string): Secrets {
  if (!existsSync(file)) writeSecrets(file)
  return Secrets.parse(JSON.parse(readFileSync(file, 'utf8')))
}

function writeSecrets(file: string) {
  const drawn = Object.keys(Secrets.shape).map((name) => [
    name,
    randomBytes(32).toString('base64url'),
  ])
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(Object.fromEntries(drawn), null, 2), { mode: 0o600 })
}
