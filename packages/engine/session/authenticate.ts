import { timingSafeEqual } from 'node:crypto'
import type { Log } from '../../../lib/runtime/log/log.ts'
import type { Config } from '../config/config.ts'
import { EngineError } from '../errors.ts'
import { createHookAuthenticator } from './auth-hook.ts'
import type { ClientHeaders } from './client.ts'
import type { Authenticate, Authentication } from './session.ts'
import {
  ACCESS_KEY,
  ADMIN_SECRET,
  createAnonymousSession,
  createTrustedSession,
  pickSessionVariables,
} from './session-variables.ts'

/**
 * Chooses the configured authentication method: admin secret, hook, JWT or the unauthorised role. If no admin secret is
 * configured, the engine trusts every client.
 *
 * @throws ConfigError when the JWT configuration cannot be used
 */
export async function createAuthenticator(config: Config, log: Log): Promise<Authenticate> {
  const { adminSecret } = config
  if (adminSecret === null) return async ({ headers }) => authenticateTrusted(headers)
  const authenticateWithoutSecret = await createSecretlessAuthenticator(config, log)
  const matches = createSecretMatcher(adminSecret)
  return async (caller) => {
    const sentSecret = caller.headers[ADMIN_SECRET] ?? caller.headers[ACCESS_KEY]
    if (sentSecret === undefined) return authenticateWithoutSecret(caller)
    // If the secret is wrong, the request is rejected, even if it also has a valid token. An empty secret is always
    // wrong.
    if (sentSecret === '' || !matches(sentSecret))
      throw new EngineError('access-denied', `invalid ${SECRET_HEADERS}`)
    return authenticateTrusted(caller.headers)
  }
}

const SECRET_HEADERS = `"${ADMIN_SECRET}"/"${ACCESS_KEY}"`

/** Creates the authenticator for clients that send no admin secret. */
async function createSecretlessAuthenticator(config: Config, log: Log): Promise<Authenticate> {
  if (config.authHook !== null) return createHookAuthenticator(config.authHook, config, log)
  const { jwtSecret, jwtSecrets, unauthorizedRole: role } = config
  if (jwtSecret !== null || jwtSecrets !== null) {
    // Loads the code for tokens only if tokens are configured. This code uses jose, which needs more memory than all
    // other code of this folder.
    const { createJwtAuthenticator } = await import('./jwt.ts')
    return createJwtAuthenticator({ jwtSecret, jwtSecrets }, role, log)
  }
  return async ({ headers }) => {
    if (role === null) {
      throw new EngineError('access-denied', `${SECRET_HEADERS} required, but not found`)
    }
    return {
      session: createAnonymousSession(role, pickSessionVariables(Object.entries(headers))),
      cookies: [],
    }
  }
}

function authenticateTrusted(headers: ClientHeaders): Authentication {
  return {
    session: createTrustedSession(pickSessionVariables(Object.entries(headers))),
    cookies: [],
  }
}

/**
 * Creates a function that compares a text with the secret in constant time. Both texts are padded to the same length,
 * so the duration reveals neither the length of the secret nor the position of the first difference.
 */
function createSecretMatcher(secret: string): (sentSecret: string) => boolean {
  const size = Math.max(PADDED_BYTES, Buffer.byteLength(secret))
  const expected = writePadded(secret, Buffer.alloc(size))
  const scratch = Buffer.alloc(size)
  return (sentSecret) =>
    timingSafeEqual(writePadded(sentSecret, scratch.fill(0)), expected) &&
    sentSecret.length === secret.length
}

/**
 * The minimum length to which both texts are padded. A longer header is truncated. It is rejected because its length
 * differs from the length of the secret.
 */
const PADDED_BYTES = 256

function writePadded(text: string, into: Buffer): Buffer {
  into.write(text)
  return into
}
