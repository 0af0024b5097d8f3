import { ceremonyKeys, isDevelopmentKey, parseVerificationKey } from './keys.ts'
import type { VerificationKey } from './pairing.ts'

type KeyChoice = {
  /** Names of keys for production apps, and for staging apps, in the order in which they are tried. */
  production: readonly string[]
  staging: readonly string[]
  /** Names of keys for actions of the first protocol, in apps of either kind. */
  legacy: readonly string[]
  /** The text of the simulator's key file, whose name is `development`; null for none. */
  developmentKey: string | null
  /** Whether this service serves real people at all. */
  isProduction: boolean
}

export type AcceptedKeys = {
  byName: ReadonlyMap<string, VerificationKey>
  names: Record<'production' | 'staging' | 'legacy', readonly string[]>
}

/**
 * Which keys a service accepts for which apps.
 *
 * Anybody can make proofs for the development key, so it is never accepted for a production app, and
 * a production service does not start when its configuration so much as names it.
 *
 * @throws Error with a sentence for whoever configures the service
 */
export function acceptedKeys({
  production,
  staging,
  legacy,
  developmentKey,
  isProduction,
}: KeyChoice): AcceptedKeys {
  const known = new Map(ceremonyKeys)
  if (developmentKey !== null)
    known.set('development', parseVerificationKey(JSON.parse(developmentKey)))
  const named = [...production, ...staging, ...legacy]
  const byName = new Map(named.map((name) => [name, findKey(known, name)]))
  if ([...production, ...legacy].some((name) => namesDevelopmentKey(byName, name)))
    throw new Error('The development key proves nothing: it cannot be a key for production apps.')
  if (
    isProduction &&
    (developmentKey !== null || named.some((name) => namesDevelopmentKey(byName, name)))
  )
    throw new Error('The development key proves nothing: a service in production cannot have it.')
  return { byName, names: { production, staging, legacy } }
}

function findKey(known: ReadonlyMap<string, VerificationKey>, name: string): VerificationKey {
  const key = known.get(name)
  if (key) return key
  const names = [...known.keys()].join(', ')
  throw new Error(`There is no verification key "${name}"; known are: ${names}.`)
}

function namesDevelopmentKey(byName: ReadonlyMap<string, VerificationKey>, name: string): boolean {
  const key = byName.get(name)
  return name === 'development' || (key !== undefined && isDevelopmentKey(key))
}
