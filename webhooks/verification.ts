import { readFileSync } from 'node:fs'
import type { Config } from '../lib/config.ts'
import { ApiError } from '../lib/errors.ts'
import type { GroupContract } from '../lib/group-contract.ts'
import { acceptedKeys } from '../proof/accepted-keys.ts'
import { groth16 } from '../proof/groth16.ts'
import { roots } from '../proof/roots.ts'
import { type Verifier, verifier } from '../proof/verify.ts'
import type { GroupAddresses } from './group-addresses.ts'

type Services = {
  addresses: GroupAddresses
  chain: GroupContract
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * Puts proof checking together: keys from the configuration, threads, roots from the chain.
 *
 * @returns once every thread has verified a proof, so that the first caller does not wait for it
 */
export async function startVerification(
  config: Config,
  { addresses, chain, now }: Services,
): Promise<{ verifier: Verifier; close(): Promise<void> }> {
  const keys = acceptedKeys({
    production: config.VERIFICATION_KEYS_PRODUCTION,
    staging: config.VERIFICATION_KEYS_STAGING,
    legacy: config.VERIFICATION_KEYS_LEGACY,
    developmentKey: config.DEVELOPMENT_KEY_FILE
      ? readFileSync(config.DEVELOPMENT_KEY_FILE, 'utf8')
      : null,
    isProduction: config.NODE_ENV === 'production',
  })
  const pool = groth16(keys.byName, {
    threads: config.VERIFIER_THREADS,
    maxQueue: config.VERIFIER_MAX_QUEUE,
  })
  await pool.warm()
  const seconds = () => Math.floor(now() / 1_000)
  const check = verifier({
    groth16: { verify: (...claim) => pool.verify(...claim).catch(unavailable) },
    roots: roots({
      query: (group, root) =>
        addresses
          .find(group)
          .then((address) => chain.queryRoot(address, root))
          .catch(unavailable),
      now: seconds,
      maxEntries: 100_000,
    }),
    keys: keys.names,
    maxAgeSeconds: config.ROOT_MAX_AGE_SECONDS,
    now: seconds,
  })
  return { verifier: check, close: () => pool.close() }
}

/** The chain that does not answer and the queue that is full are the same to a caller: try later. */
function unavailable(cause: unknown): never {
  throw new ApiError('unavailable', { cause })
}
