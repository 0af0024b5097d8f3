import { findNearestName } from './nearest-name.ts'

/** Beginnings of names that no other program's variables have. */
const OWN_PREFIXES = [
  'GROUPS_',
  'PRICE_',
  'PRICES_',
  'RATE_LIMIT_',
  'ROOT_MAX_AGE_',
  'SIGN_IN_',
  'VERIFICATION_KEYS_',
  'VERIFIER_',
  'VERIFY_V1_',
  'WALLET_',
]

/** Variables that docker-compose.yml alone reads, and that may stand in the same file. */
const OF_COMPOSE = [
  'HASURA_DATABASE_PASSWORD',
  'HASURA_GRAPHQL_ADMIN_SECRET_ALSO',
  'INTERNAL_SECRET_ALSO',
  'PLATFORM_VERSION',
  'POSTGRES_PASSWORD',
  'SIGN_IN_DATABASE_PASSWORD',
  'TRUSTED_PROXIES',
]

/** Variables of earlier versions, each with what an operator does about it. */
const FORMER: Readonly<Record<string, string>> = {
  GROUP_NAME_PRODUCTION:
    'use GROUPS_PRODUCTION, which also has the levels, such as semaphore.wld.eth=orb',
  GROUP_NAME_STAGING:
    'use GROUPS_STAGING, which also has the levels, such as staging.semaphore.wld.eth=all',
  RATE_LIMIT_RESEND_EMAIL: 'remove it: the database limits what a mailbox gets',
}

/**
 * Finds the variables that are meant for our services but that no service reads. Such a variable is of an earlier version,
 * has one of our prefixes, or is one typing error away from a known variable. All others belong to other programs.
 *
 * @param ofServices the variables of all services, since those may share one file of variables
 * @returns a sentence for each, without the variable's value
 */
export function describeUnknownVariables(
  names: readonly string[],
  ofServices: readonly string[],
): string[] {
  const known = [...ofServices, ...OF_COMPOSE]
  return names
    .filter((name) => !known.includes(name))
    .flatMap((name) => describeUnknown(name, known) ?? [])
}

function describeUnknown(name: string, known: readonly string[]): string | null {
  const advice = FORMER[name]
  if (advice) return `${name} is no variable of this version: ${advice}.`
  const nearest = findNearestName(name, known)
  const isNear = nearest !== null && nearest.distance <= typingErrorsIn(nearest.name)
  if (!isNear && !OWN_PREFIXES.some((prefix) => name.startsWith(prefix))) return null
  const question = nearest ? `; did you mean ${nearest.name}?` : '.'
  return `${name} is not a variable of this platform${question}`
}

/** How many errors of typing are one in a name of this length; short names are too near those of other programs. */
function typingErrorsIn({ length }: string): number {
  if (length < 13) return 0
  return length < 18 ? 1 : 2
}
