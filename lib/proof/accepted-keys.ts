import { ceremonyKeys, isDevelopmentKey, parseVerificationKey } from './keys.ts'
import type { VerificationKey } from './pairing/verification-key.ts'
import { PROTOCOL_4_SIGNALS } from './protocol-4/public-signals.ts'

/** Names of verification keys, in the order in which verification tries them. */
type KeyNames = {
  /** The keys of protocol 3.0 for production apps and for staging apps. */
  production: readonly string[]
  staging: readonly string[]
  /** The keys for actions of the first protocol, in production and staging apps. */
  legacy: readonly string[]
  /** The keys of protocol 4.0 for production apps and for staging apps. */
  production4: readonly string[]
  staging4: readonly string[]
}

type KeyChoice = KeyNames & {
  /** The JSON of the simulator's key of protocol 3.0, or null. Its name is `development`. */
  developmentKey: string | null
  /** The JSON of the simulator's key of protocol 4.0, or null. Its name is `development-4`. */
  developmentKey4: string | null
  /** True if the service runs in production, where proofs of simulated people must not be accepted. */
  isProduction: boolean
}

export type AcceptedKeys = { byName: ReadonlyMap<string, VerificationKey>; names: KeyNames }

/**
 * Chooses the keys that a service accepts for each protocol and environment.
 *
 * The secrets of the development keys are public, so anyone can forge proofs for them. So production apps and actions of
 * the first protocol never accept these keys. A service in production does not start if its configuration has one.
 *
 * @throws Error if a key is unknown, belongs to another protocol, or is not allowed; the message is for the operator
 */
export function selectAcceptedKeys({
  developmentKey,
  developmentKey4,
  isProduction,
  ...names
}: KeyChoice): AcceptedKeys {
  const knownKeys = new Map(ceremonyKeys)
  if (developmentKey !== null)
    knownKeys.set('development', parseVerificationKey(JSON.parse(developmentKey)))
  if (developmentKey4 !== null)
    knownKeys.set('development-4', parseVerificationKey(JSON.parse(developmentKey4)))
  const { production, staging, legacy, production4, staging4 } = names
  const byName = new Map([
    ...findKeys(withSignals(knownKeys, PROTOCOL_3_SIGNALS), [...production, ...staging, ...legacy]),
    ...findKeys(withSignals(knownKeys, PROTOCOL_4_SIGNALS), [...production4, ...staging4]),
  ])
  if ([...production, ...legacy, ...production4].some((name) => namesDevelopmentKey(byName, name)))
    throw new Error(
      'Anyone can forge proofs for the development key: remove it from VERIFICATION_KEYS_PRODUCTION, VERIFICATION_KEYS_LEGACY and VERIFICATION_KEYS_4_PRODUCTION.',
    )
  const hasDevelopmentKey =
    developmentKey !== null ||
    developmentKey4 !== null ||
    [...byName.keys()].some((name) => namesDevelopmentKey(byName, name))
  if (isProduction && hasDevelopmentKey)
    throw new Error('Anyone can forge proofs for the development key: remove it in production.')
  return { byName, names }
}

const PROTOCOL_3_SIGNALS = 4

type KeysByName = ReadonlyMap<string, VerificationKey>

/** Returns the keys of the protocol whose proofs have this number of public signals. */
function withSignals(keys: KeysByName, count: number): KeysByName {
  return new Map([...keys].filter(([, { ic }]) => ic.length === count + 1))
}

function findKeys(keys: KeysByName, names: readonly string[]): [string, VerificationKey][] {
  return names.map((name) => [name, findKey(keys, name)])
}

function findKey(keys: KeysByName, name: string): VerificationKey {
  const key = keys.get(name)
  if (key) return key
  throw new Error(
    `A verification key must be one of ${[...keys.keys()].join(', ')}; got "${name}".`,
  )
}

function namesDevelopmentKey(keys: KeysByName, name: string): boolean {
  const key = keys.get(name)
  return key !== undefined && (name.startsWith('development') || isDevelopmentKey(key))
}
