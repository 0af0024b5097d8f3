import { ceremonyKeys, isDevelopmentKey, parseVerificationKey } from './keys.ts'
import type { VerificationKey } from './pairing/verification-key.ts'

type KeyChoice = {
  /** Names of the keys for production apps and for staging apps, in the order in which verification tries them. */
  production: readonly string[]
  staging: readonly string[]
  /** Names of the keys for actions of the first protocol, in production and staging apps. */
  legacy: readonly string[]
  /** The JSON of the simulator's key, or null. Its name is `development`. */
  developmentKey: string | null
  /** True if the service runs in production, where proofs of simulated people must not be accepted. */
  isProduction: boolean
}

export type AcceptedKeys = {
  byName: ReadonlyMap<string, VerificationKey>
  names: Record<'production' | 'staging' | 'legacy', readonly string[]>
}

/**
 * Chooses the keys that a service accepts for production, staging and legacy.
 *
 * The secrets of the development key are public, so anyone can forge proofs for it. So production apps and actions of
 * the first protocol never accept this key. A service in production does not start if its configuration has this key.
 *
 * @throws Error if a key is unknown or not allowed; the message is for the operator
 */
export function selectAcceptedKeys({
  production,
  staging,
  legacy,
  developmentKey,
  isProduction,
}: KeyChoice): AcceptedKeys {
  const knownKeys = new Map(ceremonyKeys)
  if (developmentKey !== null)
    knownKeys.set('development', parseVerificationKey(JSON.parse(developmentKey)))
  const names = [...production, ...staging, ...legacy]
  const byName = new Map(names.map((name) => [name, findKey(knownKeys, name)]))
  if ([...production, ...legacy].some((name) => namesDevelopmentKey(byName, name)))
    throw new Error(
      'Anyone can forge proofs for the development key: remove it from VERIFICATION_KEYS_PRODUCTION and VERIFICATION_KEYS_LEGACY.',
    )
  if (
    isProduction &&
    (developmentKey !== null || names.some((name) => namesDevelopmentKey(byName, name)))
  )
    throw new Error('Anyone can forge proofs for the development key: remove it in production.')
  return { byName, names: { production, staging, legacy } }
}

function findKey(knownKeys: ReadonlyMap<string, VerificationKey>, name: string): VerificationKey {
  const key = knownKeys.get(name)
  if (key) return key
  const names = [...knownKeys.keys()].join(', ')
  throw new Error(`A verification key must be one of ${names}; got "${name}".`)
}

function namesDevelopmentKey(byName: ReadonlyMap<string, VerificationKey>, name: string): boolean {
  const key = byName.get(name)
  return name === 'development' || (key !== undefined && isDevelopmentKey(key))
}
