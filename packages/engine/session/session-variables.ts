import { EngineError } from '../errors.ts'
import { ADMIN, type Session } from './session.ts'

/** The session variable that contains the role. */
export const ROLE_VARIABLE = 'x-hasura-role'
/** The header with the admin secret. */
export const ADMIN_SECRET = 'x-hasura-admin-secret'
/** An older name of the header with the admin secret. */
export const ACCESS_KEY = 'x-hasura-access-key'
const BACKEND_ONLY = 'x-hasura-use-backend-only-permissions'

/** Picks the session variables from headers or claims: names in lower case, without the admin secret. */
export function pickSessionVariables(
  entries: Iterable<readonly [string, string]>,
): Map<string, string> {
  const variables = new Map<string, string>()
  for (const [name, value] of entries) {
    const key = name.toLowerCase()
    // If a variable occurs twice, in upper and in lower case, the first wins.
    if (key.startsWith('x-hasura-') && !SECRET_HEADERS.has(key) && !variables.has(key))
      variables.set(key, value)
  }
  return variables
}

/** Creates the session of a client that may choose its role, because it sent the admin secret or none is configured. */
export function createTrustedSession(variables: Map<string, string>): Session {
  const role = variables.get(ROLE_VARIABLE) || ADMIN
  variables.set(ROLE_VARIABLE, role)
  const backendOnly = readBackendOnly(variables)
  return { role, variables, backendOnly, expiresAt: null, basis: 'secret' }
}

/** Creates the session of a client with the role and variables from the hook or the token. */
export function createSession(
  role: string,
  variables: Map<string, string>,
  expiresAt: Date | null = null,
): Session {
  variables.set(ROLE_VARIABLE, role)
  return { role, variables, backendOnly: false, expiresAt, basis: 'claims' }
}

/** Creates the session of a client without credentials. The client chooses its session variables. */
export function createAnonymousSession(role: string, variables: Map<string, string>): Session {
  return { ...createSession(role, variables), basis: 'nothing' }
}

const SECRET_HEADERS: ReadonlySet<string> = new Set([ADMIN_SECRET, ACCESS_KEY])

const TRUE_WORDS: ReadonlySet<string> = new Set(['true', 't', 'yes', 'y'])
const FALSE_WORDS: ReadonlySet<string> = new Set(['false', 'f', 'no', 'n'])

function readBackendOnly(variables: ReadonlyMap<string, string>): boolean {
  const text = variables.get(BACKEND_ONLY)?.toLowerCase()
  if (text === undefined || FALSE_WORDS.has(text)) return false
  if (TRUE_WORDS.has(text)) return true
  const words = `True values are [${[...TRUE_WORDS].join(',')}] and False values are [${[...FALSE_WORDS].join(',')}]`
  throw new EngineError(
    'bad-request',
    `${BACKEND_ONLY}:  Not a valid boolean text. ${words}. All values are case insensitive`,
  )
}
