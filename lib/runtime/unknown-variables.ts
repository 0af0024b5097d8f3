import { findNearestName } from './nearest-name.ts'

/** Prefixes that only our variables have. */
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
  'WORLD_CHAIN_',
  'WORLD_ID_VERIFIER_',
]

/** Variables that only docker-compose.yml reads, but that may be in the same file of variables. */
export const COMPOSE_VARIABLES: readonly string[] = [
  'HASURA_DATABASE_PASSWORD',
  'HASURA_GRAPHQL_ADMIN_SECRET_ALSO',
  'INTERNAL_SECRET_ALSO',
  'PLATFORM_VERSION',
  'POSTGRES_PASSWORD',
  'PROXY_API_ADDRESS',
  'PROXY_SIGN_IN_ADDRESS',
  'SIGN_IN_DATABASE_PASSWORD',
  'TRUSTED_PROXIES',
]

/** Variables of earlier versions, each with advice for the operator. */
const FORMER_VARIABLES: Readonly<Record<string, string>> = {
  GROUP_NAME_PRODUCTION:
    'use GROUPS_PRODUCTION, which also has the levels, such as semaphore.wld.eth=orb',
  GROUP_NAME_STAGING:
    'use GROUPS_STAGING, which also has the levels, such as staging.semaphore.wld.eth=all',
  RATE_LIMIT_RESEND_EMAIL: 'remove it: the database limits the mails to each mailbox',
}

/**
 * Finds the variables that were meant for our services but that no service reads. They belong to an earlier version,
 * have our prefix, or are a known name with a typing error. Any other unknown variable belongs to another program.
 *
 * @param serviceVariables the variables of all services, since they may share a file of variables
 * @returns a sentence for each of these variables, without its value
 */
export function describeUnknownVariables(
  names: readonly string[],
  serviceVariables: readonly string[],
): string[] {
  const knownNames = [...serviceVariables, ...COMPOSE_VARIABLES]
  return names
    .filter((name) => !knownNames.includes(name))
    .flatMap((name) => describeUnknown(name, knownNames) ?? [])
}

function describeUnknown(name: string, knownNames: readonly string[]): string | null {
  const advice = FORMER_VARIABLES[name]
  if (advice) return `${name} is not a variable of this version: ${advice}.`
  const nearest = findNearestName(name, knownNames)
  const isNear = nearest !== null && nearest.distance <= toleratedEdits(nearest.name)
  const prefix = OWN_PREFIXES.find((candidate) => name.startsWith(candidate))
  if (!isNear && prefix === undefined) return null
  const related = knownNames.filter((known) => prefix !== undefined && known.startsWith(prefix))
  const suggestion = isNear ? nearest : findNearestName(name, related)
  const question = suggestion ? `; did you mean ${suggestion.name}?` : '.'
  return `${name} is not a variable of this platform${question}`
}

/** Returns how many edits count as a typing error. Short names are too similar to names of other programs. */
function toleratedEdits({ length }: string): number {
  if (length < 13) return 0
  return length < 18 ? 1 : 2
}
