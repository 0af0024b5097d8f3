import { ceremonyKeys, isDevelopmentKey, parseVerificationKey } from './keys.ts'
import type { VerificationKey } from './pairing/verification-key.ts'

type KeyChoice = {
  /** Names of keys for production apps, and for staging apps, in the order in which they are tried. */
  production: readonly string[]
  staging: readonly string[]
  /** Names of keys for actions of the first protocol, in apps of either kind. */
  legacy: readonly string[]
  /** The JSON of the simulator's key, which gets the name `development`; null for none. */
  developmentKey: string | null
  /** Whether the service runs in production, where proofs of simulated people must not count. */
  isProduction: boolean
}

export type AcceptedKeys = {
  byName: ReadonlyMap<string, VerificationKey>
  names: Record<'production' | 'staging' | 'legacy', readonly string[]>
}

/**
 * Which keys a service accepts for which apps.
 *
 * Anybody can make proofs for the development key. So it is never accepted for a production app, and a service in
 * production does not start if its configuration mentions the key at all.
 *
 * @throws Error when the configuration cannot be used; the message is for whoever configures the service
 */
export function acceptedKeys({
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
      'Anybody can make proofs for the development key: production apps cannot use it.',
    )
  if (
    isProduction &&
    (developmentKey !== null || names.some((name) => namesDevelopmentKey(byName, name)))
  )
    throw new Error('Anybody can make proofs for the development key: remove it in production.')
  return { byName, names: { production, staging, legacy } }
}

function findKey(knownKeys: ReadonlyMap<string, VerificationKey>, name: string): VerificationKey {
  const key = knownKeys.get(name)
  if (key) return key
  const names = [...knownKeys.keys()].join(', ')
  throw new Error(`There is no verification key "${name}"; the known keys are: ${names}.`)
}

function namesDevelopmentKey(byName: ReadonlyMap<string, VerificationKey>, name: string): boolean {
  const key = byName.get(name)
  return name === 'development' || (key !== undefined && isDevelopmentKey(key))
}
