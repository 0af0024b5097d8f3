import { inject } from 'vitest'
import { CHAIN_ID } from '../../../local/chain/local-chain.ts'
import {
  developmentKey,
  developmentKey4,
} from '../../../local/simulator/development-key/development-key.ts'
import { ENGINE_BOUNDS } from '../../../packages/platform/parts/engine-bounds.ts'
import { protocol4Environment } from '../../../packages/platform/parts/protocol-4-environment.ts'

/** The admin secret of the engine that tests start, or of the configured Hasura. */
export const ADMIN_SECRET = inject('hasura')?.adminSecret ?? 'admin-secret-of-these-tests-only'
export const PEPPER = 'pepper-of-these-tests-and-no-others'
export const CLIENT_SECRET_PEPPER = 'pepper-of-client-secrets-in-tests'
export const INTERNAL_SECRET = 'secret-that-only-hasura-may-know'
export const LOGIN_TOKEN_SECRET = 'secret-of-login-tokens-in-these-tests-'.repeat(2)
export const SIGNING_KEY_SECRET = 'secret-that-seals-the-keys-of-tests'

/** An address at which nothing listens. */
export const NOWHERE = 'http://127.0.0.1:9'

/** The environment of an engine that uses the developer API at this address as its auth hook. */
export function engineEnvironment(baseUrl: string) {
  return {
    ...ENGINE_BOUNDS,
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
    HASURA_GRAPHQL_METADATA_DIR: 'hasura/metadata',
    HASURA_GRAPHQL_AUTH_HOOK: `${baseUrl}/hasura/auth`,
    HASURA_GRAPHQL_AUTH_HOOK_MODE: 'POST',
    HASURA_GRAPHQL_PRESERVE_401_ERRORS: 'true',
    // Nothing listens at this address, so scheduled requests have no effect. Otherwise tests would
    // depend on the minute at which a schedule is due.
    WEBHOOKS_URL: NOWHERE,
    INTERNAL_AUTHORIZATION: `Bearer ${INTERNAL_SECRET}`,
    HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'true',
  }
}

/** Tests send more requests a second than the limits allow; tests of the limits set their own. */
const NO_LIMITS = Object.fromEntries(
  [
    'VERIFY',
    'PRECHECK',
    'PRECHECK_ACTION',
    'SIGNUP',
    'LOGIN',
    'LOGIN_EMAIL',
    'LOGIN_UNKNOWN_DEVICE',
    'LOGIN_UNKNOWN_DEVICES',
    'RESEND',
    'FORGOT_PASSWORD',
    'VERIFY_EMAIL',
    'TRANSACTION',
    'PRICES',
    'USER_OPERATION',
  ].map((name) => [`RATE_LIMIT_${name}`, '1000000/60']),
)

/**
 * Long timeouts, because a part that runs may be slow on a busy machine. A stopped part refuses connections immediately, so
 * tests of stopped parts do not wait for a timeout.
 */
export const PATIENCE = { HASURA_TIMEOUT_MS: '30000', CHAIN_TIMEOUT_MS: '30000' }

/** The environment of the developer API, without its address and the settings of a test. */
export async function webhooksEnvironment(engineUrl: string, rpcUrl: string) {
  const [key, { verificationKeyFile: verificationKey4File }] = await Promise.all([
    developmentKey(),
    developmentKey4(),
  ])
  const { verifiers, tokens } = inject('chainTemplate').addresses
  return {
    NODE_ENV: 'test',
    ...NO_LIMITS,
    ...PATIENCE,
    HASURA_GRAPHQL_ENDPOINT: engineUrl,
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
    API_KEY_PEPPER: PEPPER,
    CLIENT_SECRET_PEPPER,
    LOGIN_TOKEN_SECRET,
    INTERNAL_SECRET,
    // Nothing listens at this address: tests of mail start their own server.
    SMTP_URL: 'smtp://127.0.0.1:9',
    CHAIN_RPC_URL: rpcUrl,
    CHAIN_ID: String(CHAIN_ID),
    PAYMENT_CHAINS: JSON.stringify({
      local: {
        rpc_url: rpcUrl,
        chain_id: CHAIN_ID,
        tokens: {
          USDCE: { address: tokens.usdce, decimals: 6 },
          WLD: { address: tokens.wld, decimals: 18 },
        },
      },
    }),
    VERIFICATION_KEYS_STAGING: 'development,semaphore-v3-depth-30',
    DEVELOPMENT_KEY_FILE: key.verificationKeyFile,
    ...protocol4Environment({ rpcUrl, verifiers, verificationKey4File }),
    VERIFIER_THREADS: '1',
    VERIFY_V1_SUNSET: 'never',
    SIGNING_KEY_SECRET,
  }
}
